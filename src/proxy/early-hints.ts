import type { ServerResponse } from 'node:http';

/** A comma that a new link follows: node takes one link a piece. */
const BETWEEN_LINKS = /,\s*(?=<)/;

/** Passes a 103 of the upstream on (RFC 8297). Hints are optional: what node refuses to write is dropped. */
export function writeEarlyHints(response: ServerResponse, link: string | string[] | undefined): void {
  if (link === undefined) return;
  const lines = typeof link === 'string' ? [link] : link;
  try {
    response.writeEarlyHints({ link: lines.flatMap((line) => line.split(BETWEEN_LINKS)) });
  } catch {
    // Not a link that node knows how to read.
  }
}
