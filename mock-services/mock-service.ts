import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Clock, systemClock } from '../src/common/clock.js';
import { durationMs, isDuration } from '../src/common/duration.js';

export interface MockRequest {
  readonly method: string;
  /** The request target as it arrived. */
  readonly target: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers a request; undefined leaves it to the general answer, which shows what was received. */
export type MockHandler = (request: MockRequest, response: ServerResponse) => unknown;

/** A small service to put behind the gateway. */
export interface MockDefinition {
  readonly name: string;
  readonly port: number;
  readonly handle: MockHandler;
}

export interface RunningMock {
  readonly name: string;
  readonly port: number;
  stop(): Promise<void>;
}

const MAX_BODY = 1024 * 1024;
const LONGEST_SLEEP = 120_000;
const SHOWN_HEADERS =
  /^(host|user-agent|content-type|content-length|authorization|forwarded|via|traceparent|x-.*)$/;

/** Starts a mock service; port 0 takes a free one. Fails with node's error when the port cannot be opened. */
export async function startMock(
  definition: MockDefinition,
  { port = definition.port, host = '127.0.0.1', clock = systemClock } = {},
): Promise<RunningMock> {
  const mock = new MockService(definition, clock);
  const server = createServer((request, response) => void mock.answer(request, response));
  server.listen(port, host);
  await once(server, 'listening');
  return { name: definition.name, port: (server.address() as AddressInfo).port, stop: () => close(server) };
}

/** Sends a JSON answer. */
export function json(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
  return true;
}

/** What a service shows of a request, so that one sees what the gateway made of it. */
export function received({ method, target, headers, body }: MockRequest): object {
  const shown = Object.entries(headers).filter(([name]) => SHOWN_HEADERS.test(name));
  return { method, url: target, headers: Object.fromEntries(shown), body_bytes: body.length };
}

class MockService {
  private failure = { status: 0, until: 0 };

  constructor(
    private readonly definition: MockDefinition,
    private readonly clock: Clock,
  ) {}

  async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const request = await readRequest(incoming);
      if (request.url.pathname.startsWith('/_mock/')) return this.control(request, response);
      if (this.clock.now() < this.failure.until) {
        return void json(response, this.failure.status, { service: this.definition.name, failing: true });
      }
      await this.serve(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else json(response, 400, { service: this.definition.name, error: String(error) });
    }
  }

  private async serve(request: MockRequest, response: ServerResponse): Promise<void> {
    const { name, handle } = this.definition;
    if (request.url.pathname === '/health') return void json(response, 200, { status: 'ok', service: name });
    if (request.url.pathname === '/slow') await sleep(millisecondsOf(request.url), response);
    if (await handle(request, response)) return;
    json(response, 200, { service: name, received: received(request) });
  }

  /** `POST /_mock/fail?status=500&for=30s` makes everything fail, health too; `POST /_mock/heal` ends it. */
  private control({ method, url }: MockRequest, response: ServerResponse): void {
    if (method !== 'POST') return void json(response, 405, { error: 'use POST' });
    if (url.pathname === '/_mock/heal') this.failure = { status: 0, until: 0 };
    else if (url.pathname === '/_mock/fail') this.failure = this.failureFrom(url);
    else return void json(response, 404, { error: 'use /_mock/fail or /_mock/heal' });
    const left = Math.max(0, Math.round(this.failure.until - this.clock.now()));
    json(response, 200, { service: this.definition.name, status: this.failure.status, for_ms: left });
  }

  private failureFrom({ searchParams }: URL): { status: number; until: number } {
    const status = Number(searchParams.get('status') ?? 500);
    const lasts = searchParams.get('for') ?? '30s';
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new Error('status: write 400 to 599');
    if (!isDuration(lasts)) throw new Error('for: write a duration such as 30s');
    return { status, until: this.clock.now() + durationMs(lasts) };
  }
}

async function readRequest(incoming: IncomingMessage): Promise<MockRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw new Error(`body above ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  const { method = '', url: target = '/', headers } = incoming;
  return { method, target, url: new URL(target, 'http://mock'), headers, body: Buffer.concat(chunks) };
}

function millisecondsOf({ searchParams }: URL): number {
  const ms = Number(searchParams.get('ms') ?? 1_000);
  if (!(ms >= 0 && ms <= LONGEST_SLEEP)) throw new Error(`ms: write 0 to ${LONGEST_SLEEP}`);
  return ms;
}

/** Waits, but no longer than the client does. */
export function sleep(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    response.once('close', done);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
