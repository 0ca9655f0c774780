import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

import { ClientSocket } from './client-socket.js';
import type { Outcome } from './faults.js';
import { describe, type Judge, problemOf } from './judge.js';
import type { RequestPlan, SessionKind, SessionPlan } from './plan.js';
import { headOf, uploadPieces } from './requests.js';
import { webSocketSession } from './websocket-session.js';

export interface SessionScene {
  readonly port: number;
  readonly judge: Judge;
}

type Run = (plan: SessionPlan, scene: SessionScene) => Promise<void>;

/** Plays one client's connection (some need several) and judges what it sees. */
export function playSession(plan: SessionPlan, scene: SessionScene): Promise<void> {
  return RUNS[plan.kind](plan, scene);
}

function open(plan: SessionPlan, scene: SessionScene, sip?: number): Promise<ClientSocket> {
  const options = { port: scene.port, address: plan.address };
  return new ClientSocket(sip === undefined ? options : { ...options, sip }).open();
}

/** Request after request, on one connection for as long as it lives. */
async function sequence(plan: SessionPlan, scene: SessionScene): Promise<void> {
  let client: ClientSocket | null = null;
  for (const request of plan.requests) {
    client ??= await open(plan, scene);
    if (!(await exchange(client, request, scene))) {
      client.leave('close');
      client = null;
    }
  }
  client?.leave(plan.random.chance(0.2) ? 'reset' : 'close');
}

/** One request and its answer; false when the connection can take no other. */
async function exchange(
  client: ClientSocket,
  request: RequestPlan,
  { judge }: SessionScene,
  also: readonly Outcome[] = [],
): Promise<boolean> {
  const since = performance.now();
  const at = client.methods.push(request.method) - 1;
  const whole = (): boolean => client.answers[at]?.complete === true;
  const sending = upload(client, request, at);
  if (!(await client.until(whole))) judge.violation(`${describe(request)}: hangs`);
  else if (client.fault) judge.violation(`${describe(request)}: ${client.fault.message}`);
  else judge.answered(request, client, at, since, also);
  const isLast = client.ended || client.answers[at]?.isLast !== false;
  if (isLast) client.leave('close');
  return (await sending) && !isLast;
}

/** False when the request was not sent to its end, and the connection is of no use any more. */
async function upload(client: ClientSocket, request: RequestPlan, at: number): Promise<boolean> {
  await client.send(headOf(request));
  if (request.upload?.expect) {
    const interims = client.reader.interim.length;
    const told = (): boolean => client.reader.interim.slice(interims).includes(100) || at in client.answers;
    await client.until(told, 1_000);
    if (at in client.answers) return false;
  }
  for (const piece of uploadPieces(request)) {
    // A final answer that ends the connection makes the rest pointless.
    if (client.answers[at]?.isLast) return false;
    await client.send(piece);
  }
  return client.writable;
}

/** All at once; the answers come in order, until one ends the connection. */
async function pipeline(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const client = await open(plan, scene);
  const since = performance.now();
  const requests = plan.requests.map((request) => ({ ...request, upload: small(request) }));
  client.methods.push(...requests.map((request) => request.method));
  void client.send(
    Buffer.concat(requests.flatMap((request) => [Buffer.from(headOf(request)), ...uploadPieces(request)])),
  );
  const through = (): boolean => client.answers.filter((it) => it.complete).length === requests.length;
  if (!(await client.until(through))) scene.judge.violation(`${describe(requests[0]!)} pipelined: hangs`);
  if (client.fault) scene.judge.violation(`${describe(requests[0]!)} pipelined: ${client.fault.message}`);
  for (const [at, request] of requests.entries()) {
    const before = client.answers[at - 1];
    // Whoever pipelines behind the last answer sends again elsewhere (RFC 9112 §9.3.2).
    if (before && (before.isLast || !before.complete)) break;
    if (at > 0 && !before) break;
    scene.judge.answered(request, client, at, since, ['upstream_unavailable']);
  }
  client.leave('close');
}

function small({ upload: plan }: RequestPlan): RequestPlan['upload'] {
  return plan && { size: Math.min(plan.size, 2_000), chunked: plan.chunked, expect: false };
}

async function slowReader(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const client = await open(plan, scene, plan.random.pick([1, 7, 100]));
  await exchange(client, plan.requests[0]!, scene);
  client.leave('close');
}

/** Takes nothing for longer than the gateway waits; what it finds then must not look whole unless it is. */
async function neverReader(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const client = await open(plan, scene);
  client.pause();
  setTimeout(() => client.resume(), 3_500);
  await exchange(client, plan.requests[0]!, scene, ['cut', 'request_timeout']);
  client.leave('close');
}

async function slowSender(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const client = await open(plan, scene);
  for (const request of plan.requests) {
    const since = performance.now();
    const at = client.methods.push(request.method) - 1;
    const bytes = Buffer.concat([Buffer.from(headOf(request)), ...uploadPieces(request, 40)]);
    for (const byte of bytes) {
      if (!client.writable || client.answers[at]?.isLast) break;
      await client.send(Buffer.of(byte));
      await turn();
    }
    if (!(await client.until(() => client.answers[at]?.complete === true))) {
      scene.judge.violation(`${describe(request)} byte by byte: hangs`);
    }
    // On a crowded machine byte by byte is too slow for `header_timeout`, and a parser's refusal knows no tag.
    const tooSlow = performance.now() - since > 1_300 && client.answers[at]?.status === 408;
    if (!tooSlow) scene.judge.answered(request, client, at, since);
    if (client.ended || client.answers[at]?.isLast !== false) break;
  }
  client.leave('close');
}

/** Stops in the middle of its request and waits to be told. */
async function stuckSender(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const { judge } = scene;
  const request = plan.requests[0]!;
  const client = await open(plan, scene);
  const head = headOf(request);
  const inBody = request.upload !== null && request.upload.size > 0 && plan.random.chance(0.7);
  // Who refuses half a head has no method to go by.
  client.methods.push(inBody ? request.method : 'GET');
  const body = Buffer.concat(uploadPieces(request));
  const since = performance.now();
  await client.send(inBody ? head : head.slice(0, plan.random.between(1, head.length - 1)));
  if (inBody) await client.send(body.subarray(0, plan.random.between(0, body.length - 6)));
  if (!(await client.until(() => client.answers[0]?.complete === true)))
    judge.violation(`${describe(request)} stuck: hangs`);
  if (inBody) judge.answered(request, client, 0, since, ['request_timeout', 'upstream_timeout', 'cut']);
  else isRefusal(client, judge, `${request.tag}: a head that does not end`);
  if (!(await client.until(() => client.ended)))
    judge.violation(`${describe(request)} stuck: its connection stays open`);
  client.leave('close');
}

function isRefusal(client: ClientSocket, judge: Judge, what: string): void {
  const answer = client.answers.at(-1);
  if (client.fault) judge.violation(`${what}: ${client.fault.message}`);
  else if (!answer?.complete) judge.violation(`${what}: no answer`);
  else if (answer.status < 400 || problemOf(answer).instance !== answer.header('x-request-id')) {
    judge.violation(`${what}: ${answer.status} ${answer.body.toString('latin1').slice(0, 200)}`);
  } else if (!answer.isLast) judge.violation(`${what}: its connection goes on`);
}

const ABORTS = { connect: 1, head: 2, sent: 4, upload: 4, wait: 4, body: 5 } as const;

/** Leaves at some moment or other. */
async function abort(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const { random } = plan;
  const request = plan.requests[0]!;
  const client = await open(plan, scene);
  client.methods.push(request.method);
  const phase = random.weighted(ABORTS);
  const head = headOf(request);
  const body = Buffer.concat(uploadPieces(request));
  if (phase === 'head') await client.send(head.slice(0, random.between(1, head.length - 1)));
  else if (phase === 'upload') {
    await client.send(head);
    await client.send(body.subarray(0, random.between(0, Math.max(0, body.length - 1))));
    await delay(random.between(0, 60));
  } else if (phase !== 'connect') await client.send(Buffer.concat([Buffer.from(head), body]));
  if (phase === 'wait') await delay(random.between(0, 200));
  if (phase === 'body') await client.until(() => client.answers.length > 0, 5_000);
  settle(client, request, scene.judge);
  client.leave(random.chance(0.5) ? 'reset' : 'close');
}

/** Sends its request and its FIN: it counts as gone, and the connection must end. */
async function halfClose(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const request = plan.requests[0]!;
  const client = await open(plan, scene);
  client.methods.push(request.method);
  await client.send(Buffer.concat([Buffer.from(headOf(request)), ...uploadPieces(request)]));
  await delay(plan.random.between(0, 150));
  client.finish();
  if (!(await client.until(() => client.ended)))
    scene.judge.violation(`${describe(request)} half-closed: hangs`);
  settle(client, request, scene.judge);
  client.leave('close');
}

/** Judges what came by itself; how far it came is the client's own doing. */
function settle(client: ClientSocket, request: RequestPlan, judge: Judge): void {
  if (client.fault) judge.violation(`${describe(request)} left: ${client.fault.message}`);
  const answer = client.answers[0];
  if (answer) judge.read(request, answer, false);
}

const MALFORMED = [
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /steady HTTP/1.1\r\n\r\n',
  'GET /steady/../dead HTTP/1.1\r\nHost: a\r\n\r\n',
  '\0\0\0\0\r\n\r\n',
  'BREW /steady HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /steady HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /steady HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'POST /steady HTTP/1.1\r\nHost: a\r\nX-Tag: malformed\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
  'POST /steady HTTP/1.1\r\nHost: a\r\nX-Tag: malformed\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcde\r\n',
  `GET /steady?${'q'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET /steady HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
  'GET /steady HTTP/1.1\r\nHost: a\r\nX Bad: 1\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
] as const;

/** Whole requests first, then what is none; both in one go or one after the other. */
async function malformed(plan: SessionPlan, scene: SessionScene): Promise<void> {
  const { random } = plan;
  const client = await open(plan, scene);
  for (const request of plan.requests) {
    if (!(await exchange(client, request, scene))) return client.leave('close');
  }
  const bytes = random.pick(MALFORMED);
  const before = client.answers.length;
  client.methods.push('GET');
  await client.send(bytes);
  const told = await client.until(() => client.answers[before]?.complete === true);
  if (!told) scene.judge.violation(`session ${plan.index}, ${JSON.stringify(bytes.slice(0, 60))}: hangs`);
  if (client.answers.length === before)
    scene.judge.violation(`session ${plan.index}, ${JSON.stringify(bytes.slice(0, 60))}: no answer`);
  else if (client.answers[before]!.status < 400)
    scene.judge.violation(`session ${plan.index}: took ${JSON.stringify(bytes.slice(0, 60))}`);
  client.leave('close');
}

const RUNS: Record<SessionKind, Run> = {
  sequence,
  pipeline,
  slow_reader: slowReader,
  never_reader: neverReader,
  slow_sender: slowSender,
  stuck_sender: stuckSender,
  abort,
  half_close: halfClose,
  malformed,
  websocket: webSocketSession,
};
