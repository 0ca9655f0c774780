/** What of a token's JOSE header (RFC 7515 §4.1) plays a part: `jwk`, `jku`, `x5u` and `x5c` play none. */
export interface TokenHeader {
  readonly alg: string;
  /** Undefined when the token names no key. */
  readonly kid: string | undefined;
}

/**
 * Reads the header of a token in compact form (RFC 7515 §7.1) that is not verified yet. Null for anything but three
 * non-empty parts in base64url without padding, for a header that is no object with an `alg`, and for one with `crit`:
 * the gateway knows no extension (RFC 7515 §4.1.11).
 */
export function readTokenHeader(token: string): TokenHeader | null {
  const parts = token.split('.', 4);
  if (parts.length !== 3 || !parts.every(isBase64Url)) return null;
  const header = parseJson(Buffer.from(parts[0]!, 'base64url'));
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return null;
  const { alg, kid, crit } = header as Readonly<Record<string, unknown>>;
  if (typeof alg !== 'string' || crit !== undefined) return null;
  return kid === undefined || typeof kid === 'string' ? { alg, kid } : null;
}

/** Non-empty and the one way to write its bytes: no padding, no white space, no stray bits at the end. */
function isBase64Url(part: string): boolean {
  return part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
