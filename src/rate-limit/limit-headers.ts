import type { Decision, LimitNumbers } from './limit.js';

/**
 * One item of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): `"default";q=100;w=60`. The window is
 * whole seconds there, so one that is not is left out.
 */
export function policyItem(name: string, { requests, perMs }: LimitNumbers): string {
  const window = perMs % 1_000 === 0 ? `;w=${perMs / 1_000}` : '';
  return `"${name}";q=${requests}${window}`;
}

/** One item of `RateLimit`: what may still come at once, and the seconds until all of it is there again. */
export function quotaItem(name: string, { remaining, resetMs }: Decision): string {
  return `"${name}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
}
