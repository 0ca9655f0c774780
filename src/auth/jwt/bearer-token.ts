import { invalidToken } from './refuse-token.js';

const NAME = 'authorization';
const USUAL = 'Bearer ';
const SPACE = 0x20;
/** RFC 6750 §2.1; the scheme without case (RFC 9110 §11.1). */
const BEARER = /^bearer +([^ ].*)$/i;

/**
 * The token in `Authorization: Bearer`; null when there is none. Tokens in the query or the body are nobody's
 * (RFC 9700 §4.3.2). Throws a Refusal for two Authorization lines: the upstream may read another one than the gateway.
 * @param rawHeaders name, value, name, value, …
 */
export function bearerToken(rawHeaders: readonly string[]): string | null {
  let value: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length !== NAME.length || name.toLowerCase() !== NAME) continue;
    if (value !== null) throw invalidToken();
    value = rawHeaders[at + 1]!;
  }
  return value === null ? null : tokenIn(value);
}

function tokenIn(value: string): string | null {
  const usual =
    value.length > USUAL.length && value.startsWith(USUAL) && value.charCodeAt(USUAL.length) !== SPACE;
  return usual ? value.slice(USUAL.length) : (BEARER.exec(value)?.[1] ?? null);
}
