import { hash } from 'node:crypto';

import type { Exchange } from '../exchange/exchange.js';
import type { Identity } from '../exchange/identity.js';

/** Claims that each token has its own of: its owner is told the same by the next one. */
const OF_THE_TOKEN: ReadonlySet<string> = new Set(['exp', 'iat', 'jti', 'nbf']);

/**
 * The part of a key that tells identities apart; empty where nobody is known. One identity with other roles, claims,
 * headers for the upstream or another certificate is told apart from itself: answers may depend on each of them.
 * Three lines, of which the last alone may hold more newlines.
 */
export function toldIdentity({ identity, upstreamHeaders, clientCertificate }: Exchange): string {
  if (identity === null && upstreamHeaders === null && clientCertificate === null) return '';
  const told = JSON.stringify([
    upstreamHeaders,
    clientCertificate?.fingerprint ?? null,
    identity && saidOf(identity),
  ]);
  return `\n@${identity?.kind ?? ''}\n${hash('sha256', told, 'base64url')}\n${identity?.id ?? ''}`;
}

/** Identities are kept as long as their tokens: the text is made once for each. */
const SAID = new WeakMap<Identity, string>();

function saidOf(identity: Identity): string {
  let said = SAID.get(identity);
  if (said === undefined) {
    const claims = Object.entries(identity.claims).filter(([name]) => !OF_THE_TOKEN.has(name));
    said = JSON.stringify([identity.roles, claims.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    SAID.set(identity, said);
  }
  return said;
}
