import { isIPv6 } from 'node:net';

// What a character of a Host header is.
const REFUSED = 0;
const ALLOWED = 1;
const UPPER_CASE = 2;
const COLON = 3;
const PERIOD = 4;

const DOT = 0x2e;
/** RFC 1035 §2.3.4, in text. It bounds the look-up of wildcard hosts. */
const MAX_LENGTH = 253;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)));

/** The characters of RFC 3986 §3.2.2 `reg-name`. */
function kindOf(character: string): number {
  if (character === '.') return PERIOD;
  if (character === ':') return COLON;
  if (/[A-Z]/.test(character)) return UPPER_CASE;
  return /[a-z0-9_~!$&'()*+,;=%-]/.test(character) ? ALLOWED : REFUSED;
}

/**
 * The host of a Host header or an authority: lower-case, without port and without a trailing dot; IPv6
 * literals keep their brackets. Null when it is empty or malformed (userinfo, odd characters, a bad port).
 */
export function hostOf(value: string): string | null {
  if (value.startsWith('[')) return ipv6HostOf(value);
  let end = 0;
  let upper = false;
  for (; end < value.length; end++) {
    const code = value.charCodeAt(end);
    const kind = code < 128 ? KINDS[code]! : REFUSED;
    if (kind === ALLOWED) continue;
    if (kind === COLON) break;
    if (kind === REFUSED || (kind === PERIOD && isEmptyLabel(value, end))) return null;
    if (kind === UPPER_CASE) upper = true;
  }
  if (end === 0 || !isPort(value, end)) return null;
  const host = value.slice(0, value.charCodeAt(end - 1) === DOT ? end - 1 : end);
  if (host.length > MAX_LENGTH) return null;
  return upper ? host.toLowerCase() : host;
}

function isEmptyLabel(value: string, dot: number): boolean {
  return dot === 0 || value.charCodeAt(dot - 1) === DOT;
}

function ipv6HostOf(value: string): string | null {
  const end = value.indexOf(']') + 1;
  const address = value.slice(1, end - 1);
  // A zone means nothing to anybody but the sender (RFC 6874 §4).
  if (!isIPv6(address) || address.includes('%') || !isPort(value, end)) return null;
  return `[${address.toLowerCase()}]`;
}

/** Whether nothing or a colon and a port (which RFC 3986 §3.2.3 lets be empty) stands from here to the end. */
function isPort(value: string, at: number): boolean {
  if (at === value.length) return true;
  return /^:\d{0,5}$/.test(value.slice(at)) && Number(value.slice(at + 1)) <= 65_535;
}
