import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { type RawConnection, rawUpstream, startTestGateway, type TestGateway } from '../support/index.js';

/**
 * A backend that sends more than it was asked for, at once or a little later, in one piece or in two: bytes that
 * another client would get if they were taken for the answer to the next request on that connection. What comes while
 * a request is on its way cannot be told from its answer, so this one sends while nobody asks.
 */
const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nX-For: nobody\r\n\r\npoison';

const EXTRA: readonly (readonly [string, string])[] = [
  ['a whole answer', POISON],
  ['the beginning of one', POISON.slice(0, 30)],
  ['a head', POISON.slice(0, -6)],
  ['a body', 'poison'],
  ['an empty line', '\r\n'],
  ['an interim one', 'HTTP/1.1 103 A\r\nX-For: nobody\r\n\r\n'],
];

const HEADS: readonly ((target: string) => string)[] = [
  (target) => `HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\nX-For: ${target}\r\n\r\n${target}`,
  (target) =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-For: ${target}\r\n\r\n${target.length.toString(16)}\r\n${target}\r\n0\r\n\r\n`,
  (target) => `HTTP/1.1 204 A\r\nX-For: ${target}\r\n\r\n`,
  (target) => `HTTP/1.1 304 A\r\nX-For: ${target}\r\n\r\n`,
  (target) => `HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-For: ${target}\r\n\r\n`,
];

/** Answers of every kind, one after the other, some of them with more behind them. */
function answering(extra: (answers: number) => string) {
  let answers = 0;
  return async (connection: RawConnection): Promise<void> => {
    for (let index = 0; ; index++) {
      const { target } = await connection.request(index);
      const answer = HEADS[answers % HEADS.length]!(target);
      await connection.write(answer + extra(answers++));
    }
  };
}

async function before(script: (connection: RawConnection) => unknown, most: number) {
  const upstream = await rawUpstream(script);
  const gateway = await startTestGateway({
    upstreams: { one: { backends: [upstream.backend], connection: { max_connections: most } } },
    routes: [{ path: '/', timeout: '5s', upstream: 'one' }],
  });
  return { upstream, gateway };
}

async function expectOwnAnswers(gateway: TestGateway, targets: readonly string[]): Promise<void> {
  const answers = await Promise.all(targets.map((target) => gateway.get(target)));
  for (const [index, answer] of answers.entries()) {
    const target = targets[index]!;
    expect([200, 204, 304]).toContain(answer.status);
    expect(['', target]).toContain(answer.text);
    expect(answer.header('x-for')).toBe(target);
  }
}

const targetsOf = (count: number, round = 0): string[] =>
  Array.from({ length: count }, (_, index) => `/${round}-${index}-${'x'.repeat(index % 7)}`);

const CASES = EXTRA.flatMap(([what, extra]) => [1, 4, 64].map((most) => [what, most, extra] as const));

describe('bytes that a backend sends unasked never reach a client', () => {
  it.each(CASES)('in one piece with an answer: %s, %i connections', async (_, most, extra) => {
    const { gateway } = await before(
      answering((answers) => (answers % 3 === 0 ? extra : '')),
      most,
    );
    await expectOwnAnswers(gateway, targetsOf(90));
    await untilAtRest(gateway);
  });

  it.each(CASES)('just before the next request: %s, %i connections', async (_, most, extra) => {
    const { upstream, gateway } = await before(
      answering(() => ''),
      most,
    );
    const half = extra.length >> 1;
    for (let round = 0; round < 6; round++) {
      await expectOwnAnswers(gateway, targetsOf(2 * most, round).slice(0, 40));
      await delay(round);
      const idle = upstream.connections.filter(({ closed }) => !closed);
      for (const { socket } of idle) socket.write(extra.slice(0, half));
      // What is left of it comes while the next requests are on their way.
      setTimeout(() => {
        for (const { socket } of idle) if (socket.writable) socket.write(extra.slice(half));
      }, round % 3);
    }
    await untilAtRest(gateway);
  });

  it.each(CASES)('while an upload waits for its body: %s, %i connections', async (_, most, extra) => {
    const { upstream, gateway } = await before(
      answering(() => ''),
      most,
    );
    for (let round = 0; round < 3; round++) {
      await expectOwnAnswers(gateway, targetsOf(Math.min(most, 8), round));
      const client = await gateway.connect();
      await client.write(`POST /upload-${round} HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n`);
      await delay(5);
      for (const { socket } of upstream.connections) if (socket.writable) socket.write(extra);
      await delay(5);
      await client.write('body');
      await client.until(() => client.text.includes('\r\n\r\n'), 'an answer');
      expect(client.text).toContain(`X-For: /upload-${round}\r\n`);
      client.destroy();
    }
    await untilAtRest(gateway);
  });
});
