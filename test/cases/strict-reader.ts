import { framingOf, type HeaderLine, MessageReader } from '../support/index.js';

/** One request in a client's bytes. */
export interface Understood {
  readonly method: string;
  /** In origin-form. */
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

/** What a strict reader understands of a client's bytes, up to the first thing that is not HTTP. */
export function understood(bytes: string): Understood[] {
  const found: Understood[] = [];
  let rest: Buffer = Buffer.from(bytes, 'latin1');
  try {
    for (let next = firstOf(rest); next !== null; next = firstOf(rest)) {
      found.push(next.request);
      rest = next.rest;
    }
  } catch {
    // Here the strict reader stops, and so must the gateway.
  }
  return found;
}

function firstOf(bytes: Buffer): { request: Understood; rest: Buffer } | null {
  // Empty lines before a request are to be ignored (RFC 9112 §2.2).
  const from = bytes.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
  const reader = new MessageReader(bytes.subarray(Math.max(from, 0)));
  const head = reader.head();
  const [, method, url] = /^([^ ]+) ([^ ]+) HTTP\/1\.[01]$/.exec(head?.startLine ?? '') ?? [];
  if (head === null || method === undefined || url === undefined) return null;
  const framing = framingOf(head.headers);
  const { body, complete } = framing === 'chunked' ? reader.chunked() : reader.fixed(framing ?? 0);
  if (!complete) return null;
  const target = url.replace(/^http:\/\/[^/]*/, '');
  const request = { method, target, headers: head.headers, body: body.toString('latin1') };
  return { request, rest: Buffer.from(reader.remaining) };
}
