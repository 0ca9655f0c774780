import { joinedHeader } from '../../common/raw-headers.js';
import type { StoredResponse } from '../cache-store.js';

/** Whether a `Vary` value means that no other request gets this answer (RFC 9111 §4.1). */
export function isAnyVary(vary: string): boolean {
  return vary.split(',').some((member) => member.trim() === '*');
}

/**
 * What a request's header lines say to the names of a `Vary` value: name, value or null, name, ….
 * @param lines of the request as the upstream got it
 */
export function selectedBy(vary: string | null, lines: readonly string[]): (string | null)[] {
  if (vary === null) return [];
  const names = new Set(vary.split(',').map((name) => name.trim().toLowerCase()));
  names.delete('');
  return [...names].toSorted().flatMap((name) => [name, normalised(name, joinedHeader(lines, name))]);
}

/** Whether a request with these header lines selects the stored answer (RFC 9111 §4.1). */
export function isSelected(stored: StoredResponse, lines: () => readonly string[]): boolean {
  const { vary } = stored;
  for (let at = 0; at < vary.length; at += 2) {
    if (normalised(vary[at]!, joinedHeader(lines(), vary[at]!)) !== vary[at + 1]) return false;
  }
  return true;
}

export function isSameVariant(a: StoredResponse, b: StoredResponse): boolean {
  return a.vary.length === b.vary.length && a.vary.every((part, at) => part === b.vary[at]);
}

/** White space around the commas of a list means nothing; nor does case in names of languages and codings. */
function normalised(name: string, value: string | null): string | null {
  if (value === null) return null;
  const plain = value.trim().replace(/[ \t]*,[ \t]*/g, ',');
  return name === 'accept-language' || name === 'accept-encoding'
    ? plain.replace(/[ \t]*;[ \t]*/g, ';').toLowerCase()
    : plain;
}
