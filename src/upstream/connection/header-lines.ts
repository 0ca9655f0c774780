import { subscribe } from 'node:diagnostics_channel';

import type { Client, Dispatcher } from 'undici';

import type { PooledHandler } from '../../exchange/upstream.js';

/** The request that undici is making right now is this one's; empty otherwise. */
let lines: readonly string[] = [];

/**
 * undici checks every header it is given, at half a microsecond a line, though node's parser has checked them
 * already (docs/decisions/0006-header-lines.md). Its `undici:request:create` channel hands out the request before it is
 * written, with the list of checked lines.
 */
subscribe('undici:request:create', (message) => {
  if (lines.length === 0) return;
  const { headers } = (message as { request: { headers: string[] } }).request;
  for (const part of lines) headers.push(part);
});

/** Dispatches a request whose `handler.lines` go out beside the headers in the options, unchecked. */
export function dispatchWithLines(
  client: Client,
  options: Dispatcher.DispatchOptions,
  handler: PooledHandler,
): void {
  // undici makes the request within this call, whenever it sends it.
  lines = handler.lines;
  try {
    client.dispatch(options, handler);
  } finally {
    lines = [];
  }
}

/** undici asks its url for the origin at every request, and a URL works it out anew each time. */
export function fixedOrigin({ origin }: URL): URL {
  return Object.defineProperty(new URL(origin), 'origin', { value: origin });
}
