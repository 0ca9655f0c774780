import { Refusal } from '../exchange/refusal.js';

/** 404 for a name or id that nothing of this kind has; `known` are those there are. */
export function nothingNamed(kind: 'route' | 'upstream' | 'backend', known: readonly string[]): Refusal {
  const name = kind === 'upstream' ? 'name' : 'id';
  return new Refusal('route_not_found', {
    detail: `no ${kind} has this ${name}, expected one of those in known`,
    members: { known },
  });
}
