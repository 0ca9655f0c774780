import type { Identity } from '../../exchange/identity.js';
import { claimAt, type Claims } from './claims.js';

/** Claims whose text is a list with spaces between (RFC 8693 §4.2, and what Microsoft makes of it). */
const SPACED = /(?:^|\.)sc(?:ope|p)$/;

/**
 * Whom a verified token names.
 * @param fallback the id of a token with neither `uid` nor `sub`; one of its own, so that such tokens share nothing
 */
export function identityOf(claims: Claims, rolesClaim: string, fallback: string): Identity {
  const id = nameOf(claims['uid']) ?? nameOf(claims['sub']) ?? fallback;
  return Object.freeze({ kind: 'jwt', id, roles: rolesOf(claims, rolesClaim), claims });
}

function nameOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A text is one role, whatever is in it; other values than texts are no roles. */
function rolesOf(claims: Claims, rolesClaim: string): readonly string[] {
  const value = claimAt(claims, rolesClaim);
  const list = typeof value === 'string' && SPACED.test(rolesClaim) ? value.split(' ') : [value].flat();
  return Object.freeze(list.filter((role): role is string => typeof role === 'string' && role !== ''));
}
