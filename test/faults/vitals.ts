import { once } from 'node:events';

import { WebSocket } from 'ws';

import { waitFor } from '../support/wait.js';

/** What is alive in a process, after a collection of what is not. */
export interface Vitals {
  /** MB. */
  readonly heap: number;
  /** Timers that keep the process alive. */
  readonly timers: number;
}

const EXPRESSION = `JSON.stringify({
  heap: process.memoryUsage().heapUsed / 1024 / 1024,
  timers: process.getActiveResourcesInfo().filter((it) => it === 'Timeout').length,
})`;

/** Asks a node process through its inspector, which SIGUSR1 has opened on this port. */
export async function vitalsOf(inspectorPort: number): Promise<Vitals> {
  const url = await waitFor(() => debuggerUrl(inspectorPort), 'the inspector answers', { timeoutMs: 10_000 });
  const inspector = new WebSocket(url);
  await once(inspector, 'open');
  const call = async (method: string, params: object = {}): Promise<string> => {
    inspector.send(JSON.stringify({ id: 1, method, params }));
    const [answer] = await once(inspector, 'message');
    return String(answer);
  };
  await call('HeapProfiler.collectGarbage');
  const answer = JSON.parse(await call('Runtime.evaluate', { expression: EXPRESSION })) as Evaluated;
  inspector.close();
  await once(inspector, 'close');
  return JSON.parse(answer.result.result.value) as Vitals;
}

interface Evaluated {
  readonly result: { readonly result: { readonly value: string } };
}

async function debuggerUrl(port: number): Promise<string | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`, { headers: { connection: 'close' } });
    const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
    return target?.webSocketDebuggerUrl ?? null;
  } catch {
    return null;
  }
}
