/**
 * Fields that belong to one connection (RFC 9110 §7.6.1, and §11.7 for the proxy's own authentication),
 * never to the message behind it.
 */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Trailer fields that would change framing or routing if a recipient merged them (RFC 9110 §6.5.1). */
const FORBIDDEN_TRAILERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'content-encoding',
  'content-range',
  'content-type',
  'host',
  'set-cookie',
  'trailer',
  'authorization',
  'cache-control',
]);

export function isForbiddenTrailer(lowerCaseName: string): boolean {
  return FORBIDDEN_TRAILERS.has(lowerCaseName);
}

/** The fields that a `Connection` value names; null for the everyday values, which name none. */
export function connectionNamed(connection: string | null | undefined): ReadonlySet<string> | null {
  if (!connection || connection.length <= 10) {
    const plain = connection?.toLowerCase();
    if (!plain || plain === 'keep-alive' || plain === 'close' || plain === 'upgrade') return null;
  }
  return new Set(connection!.split(',').map((name) => name.trim().toLowerCase()));
}
