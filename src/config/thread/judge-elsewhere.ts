import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';

import type { OptionProblem, Registered } from '../draft.js';

type Judge = NonNullable<Registered['judge']>;

interface Question {
  readonly key: Parameters<Judge>[0];
  readonly use: Parameters<Judge>[1];
}

type Answer = { readonly problems: readonly OptionProblem[] } | { readonly fault: string };

/** What both threads hold: the port of the one, and a number that the asking one sleeps on. */
export interface Line {
  readonly port: MessagePort;
  /** One 32-bit integer: 0 while there is no answer. */
  readonly bell: Int32Array<SharedArrayBuffer>;
}

/**
 * In the document's thread: options are judged by classes that the main thread alone has, so it is asked. The loader
 * wants the answer at once, and this thread has nothing else to do: it sleeps until then.
 */
export function askingJudge({ port, bell }: Line): Judge {
  return (key, use) => {
    port.postMessage({ key, use } satisfies Question);
    Atomics.wait(bell, 0, 0);
    Atomics.store(bell, 0, 0);
    const answer = receiveMessageOnPort(port)?.message as Answer;
    if ('fault' in answer) throw new Error(answer.fault);
    return answer.problems;
  };
}

/** In the main thread: answers, one question a turn of the event loop. */
export function answerWith(judge: Judge, { port, bell }: Line): void {
  port.on('message', ({ key, use }: Question) => {
    port.postMessage(answerTo(judge, key, use));
    Atomics.store(bell, 0, 1);
    Atomics.notify(bell, 0);
  });
  port.unref();
}

function answerTo(judge: Judge, key: Question['key'], use: Question['use']): Answer {
  try {
    return { problems: judge(key, use) };
  } catch (error) {
    return { fault: String(error) };
  }
}
