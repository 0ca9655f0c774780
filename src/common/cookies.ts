/** The value of the first cookie of this name in a `Cookie` header (RFC 6265 §4.2.1); null when there is none. */
export function cookieValue(header: string, name: string): string | null {
  for (const pair of header.split(';')) {
    if (nameOf(pair) === name) return pair.slice(pair.indexOf('=') + 1).trim();
  }
  return null;
}

/** The header without the cookies of this name, the others as they were; null when none is left. */
export function withoutCookie(header: string, name: string): string | null {
  if (!header.includes(name)) return header;
  const pairs = header.split(';');
  const kept = pairs.filter((pair) => nameOf(pair) !== name);
  if (kept.length === pairs.length) return header;
  const left = kept.join(';').trim();
  return left === '' ? null : left;
}

/** Browsers take cookies of these names from https alone, and only with `Secure` (RFC 6265bis §4.1.3). */
export function needsSecure(name: string): boolean {
  return /^__(?:host|secure)-/i.test(name);
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=');
  return end === -1 ? '' : pair.slice(0, end).trim();
}
