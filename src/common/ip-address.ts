/** Eight 16-bit groups of an IPv6 address. */
export type Groups = Uint16Array;

const COLON = 58;
const DOT = 46;
/** Longest text with brackets, zone and port that can still be an address. */
const LONGEST = 80;
const PORT = /^\d{1,5}$/;
const scratch: Groups = new Uint16Array(8);

/**
 * An address as the gateway compares, logs and keys it: no brackets, port or zone, IPv4-mapped IPv6 as IPv4,
 * IPv6 in the canonical form of RFC 5952. Null for anything that is not an address; names are none.
 */
export function normaliseIp(address: string): string | null {
  const text = bareAddress(address);
  if (text === null) return null;
  if (parseIPv4(text) >= 0) return text;
  if (!parseIPv6(text, scratch)) return null;
  return isMapped(scratch) ? formatIPv4(mappedIPv4(scratch)) : formatIPv6(scratch);
}

/** Dotted decimal as an unsigned 32-bit number; -1 for anything else (leading zeros may mean octal elsewhere). */
export function parseIPv4(text: string): number {
  let address = 0;
  let octet = -1;
  let dots = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === DOT) {
      if (octet < 0 || ++dots > 3) return -1;
      address = address * 256 + octet;
      octet = -1;
    } else {
      const digit = code - 48;
      if (digit < 0 || digit > 9 || octet === 0) return -1;
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return -1;
    }
  }
  return dots === 3 && octet >= 0 ? address * 256 + octet : -1;
}

/** Reads IPv6 text (RFC 4291 §2.2, no zone) into `groups`; false for anything else. */
export function parseIPv6(text: string, groups: Groups): boolean {
  const end = text.length;
  let count = 0;
  let gap = text.startsWith('::') ? 0 : -1;
  let at = gap === 0 ? 2 : 0;
  while (at < end) {
    let group = 0;
    let next = at;
    for (let digit = hexDigit(text, next); digit >= 0; digit = hexDigit(text, ++next))
      group = group * 16 + digit;
    if (text.charCodeAt(next) === DOT) return dottedTail(text.slice(at), groups, count, gap);
    if (count === 8 || next === at || next - at > 4) return false;
    groups[count++] = group;
    if (next === end) break;
    at = next + 1;
    if (text.charCodeAt(next) !== COLON || at === end) return false;
    if (text.charCodeAt(at) !== COLON) continue;
    if (gap >= 0) return false;
    gap = count;
    at++;
  }
  return spread(groups, count, gap);
}

/** Whether the address is ::ffff:0:0/96. */
export function isMapped(groups: Groups): boolean {
  return groups[5] === 0xffff && groups.subarray(0, 5).every((group) => group === 0);
}

/** The IPv4 address inside an IPv4-mapped one, as an unsigned 32-bit number. */
export function mappedIPv4(groups: Groups): number {
  return groups[6]! * 65_536 + groups[7]!;
}

function formatIPv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function formatIPv6(groups: Groups): string {
  const [start, length] = longestZeroRun(groups);
  const hex = Array.from(groups, (group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeroRun(groups: Groups): [start: number, length: number] {
  let best: [number, number] = [0, 0];
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best[1]) best = [start, length];
    start += length;
  }
  return best;
}

/** Cuts brackets, port and zone; null when what is around the address is malformed. */
function bareAddress(text: string): string | null {
  if (text === '' || text.length > LONGEST) return null;
  if (text.startsWith('[')) return bracketed(text);
  const colon = text.indexOf(':');
  if (colon === -1) return text;
  if (text.lastIndexOf(':') !== colon) return withoutZone(text);
  return PORT.test(text.slice(colon + 1)) ? text.slice(0, colon) : null;
}

function bracketed(text: string): string | null {
  const close = text.indexOf(']');
  const rest = text.slice(close + 1);
  const inner = text.slice(1, close);
  if (close === -1 || !inner.includes(':')) return null;
  if (rest !== '' && !(rest.startsWith(':') && PORT.test(rest.slice(1)))) return null;
  return withoutZone(inner);
}

function withoutZone(text: string): string {
  const zone = text.indexOf('%');
  return zone === -1 ? text : text.slice(0, zone);
}

/** The digit's value; -1 for anything else and past the end. */
function hexDigit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

/** The last 32 bits written as IPv4: `::ffff:192.0.2.1`. */
function dottedTail(text: string, groups: Groups, count: number, gap: number): boolean {
  const address = parseIPv4(text);
  if (address < 0 || count > 6) return false;
  groups[count] = address >>> 16;
  groups[count + 1] = address & 0xffff;
  return spread(groups, count + 2, gap);
}

/** Moves the groups after `::` to the end and fills the gap; false when the number of groups is wrong. */
function spread(groups: Groups, count: number, gap: number): boolean {
  if (gap < 0) return count === 8;
  if (count > 7) return false;
  const after = count - gap;
  groups.copyWithin(8 - after, gap, count);
  groups.fill(0, gap, 8 - after);
  return true;
}
