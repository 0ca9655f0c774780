import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

import {
  type EchoUpstream,
  echoUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

export const IDENTITIES = fileURLToPath(new URL('fixtures/identity.ts', import.meta.url));

export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  count: number,
) => void | Promise<void>;

export interface CacheScene {
  readonly gateway: TestGateway;
  readonly upstream: EchoUpstream;
}

/** A gateway with one caching route on `/` before an upstream that answers as told; `count` counts from 1. */
export async function cacheScene(
  answer: Answer,
  cache: object = {},
  route: object = {},
): Promise<CacheScene> {
  let count = 0;
  const upstream = await echoUpstream({ respond: (request, response) => answer(request, response, ++count) });
  const gateway = await startTestGateway({
    extensions: [IDENTITIES],
    routes: [{ id: 'cached', path: '/', backends: [upstream.backend], cache, ...route }],
  });
  return { gateway, upstream };
}

/** Answers 200 with `text` and these headers. */
export function send(response: ServerResponse, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, headers).end(text);
}

/** Waits until the gateway has so many exchanges under way. */
export async function inFlight(gateway: TestGateway, count: number): Promise<void> {
  const { control } = gateway.running;
  await waitFor(async () => (await control.status()).in_flight === count, `${count} exchanges in flight`, {
    timeoutMs: 30_000,
  });
}
