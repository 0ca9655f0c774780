import type { ServerResponse } from 'node:http';

import { joinedHeader } from '../common/raw-headers.js';

/** A comma that a new link follows: node takes one link a piece. */
const BETWEEN_LINKS = /,\s*(?=<)/;

/** Passes a 103 of the upstream on (RFC 8297). Hints are optional: what node refuses to write is dropped. */
export function writeEarlyHints(response: ServerResponse, fields: readonly string[]): void {
  const links = joinedHeader(fields, 'link');
  if (links === null) return;
  try {
    response.writeEarlyHints({ link: links.split(BETWEEN_LINKS) });
  } catch {
    // Not a link that node knows how to read.
  }
}
