import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { WebSocket } from 'ws';

import { HANG_MS } from './client-socket.js';
import { describe } from './judge.js';
import type { RequestPlan, SessionPlan } from './plan.js';
import { Random } from './random.js';
import type { SessionScene } from './sessions.js';
import { CLOSE_CODE, WEBSOCKET_FATES, type WebSocketFate } from './websocket-backend.js';

/** How it may end for the client of a backend that lives: a close code, or the status of a refusal. */
const ENDS: Readonly<Record<WebSocketFate, readonly number[]>> = {
  echo: [1000],
  idle: [1001],
  killed: [1006],
  reset: [1006],
  closed: [CLOSE_CODE],
  refused: [403],
  silent: [504],
  garbage: [502],
};

/** The same beside it, by group. */
const BESIDE: Readonly<Partial<Record<RequestPlan['group'], readonly number[]>>> = {
  shaky: [1006, 502, 503, 504],
  tight: [503, 504],
  dead: [502, 503],
  limited: [429],
};

/** One WebSocket: what it sends comes back, and it ends as its fate says. */
export async function webSocketSession(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const request = plan.requests[0]!;
  const fate = plan.random.weighted(WEBSOCKET_FATES);
  const since = performance.now();
  const webSocket = new WebSocket(`ws://127.0.0.1:${scene.port}/${request.group}/ws`, {
    localAddress: plan.address,
    perMessageDeflate: false,
    headers: { 'X-Request-Id': request.tag, 'X-Tag': request.tag, 'X-Ws': fate },
  });
  const ending = endOf(webSocket);
  const leaves = fate === 'echo' && plan.random.chance(0.2);
  webSocket.on('open', () => {
    scene.judge.seen.set(request.tag, { status: 101, bytes: -1, own: false, stayed: false });
    converse(webSocket, plan.random, {
      fate,
      leaves,
      violation: (what) => scene.judge.violation(`${describe(request)} WebSocket ${fate}: ${what}`),
    });
  });
  const end = await Promise.race([ending, delay(HANG_MS, 0, { ref: false })]);
  webSocket.terminate();
  const allowed = request.group === 'dead' ? BESIDE.dead! : [...ENDS[fate], ...(BESIDE[request.group] ?? [])];
  if (allowed.includes(end) || (leaves && end === 1006)) return;
  if (since <= scene.judge.lastStandstill && [1001, 1006, 502, 504].includes(end)) return;
  scene.judge.violation(
    `${describe(request)} WebSocket ${fate}: ended with ${end}, not ${allowed.join(' or ')}`,
  );
}

function endOf(webSocket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    webSocket.on('unexpected-response', (_request, response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      response.resume();
    });
    webSocket.on('error', () => {});
    webSocket.on('close', (code) => resolve(code));
  });
}

interface Conversation {
  readonly fate: WebSocketFate;
  /** Goes without a word at its end. */
  readonly leaves: boolean;
  readonly violation: (what: string) => void;
}

/** Sends a message once the one before it came back; the same bytes, in the same order. */
function converse(webSocket: WebSocket, random: Random, { fate, leaves, violation }: Conversation): void {
  let left = fate === 'echo' ? random.between(1, 12) : 4;
  let sent = '';
  const next = (): void => {
    if (left-- === 0) return leave();
    sent = `${left}:`.padEnd(random.pick([3, 125, 126, 5_000, 70_000]), 'm');
    webSocket.send(sent);
  };
  const leave = (): void => {
    if (leaves) webSocket.terminate();
    else if (fate === 'echo') webSocket.close(1000);
  };
  webSocket.on('message', (data: Buffer) => {
    if (data.toString() === sent) next();
    else violation(`an echo differs: ${data.toString().slice(0, 60)} for ${sent.slice(0, 60)}`);
  });
  if (fate !== 'idle') next();
}
