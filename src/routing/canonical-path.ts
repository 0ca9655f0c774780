import type { CanonicalTarget } from '../exchange/router.js';
import { hostOf } from './host.js';

// What a byte of a target is.
const PLAIN = 0;
/** `?`: the path ends here. */
const QUERY = 1;
/** Starts a dot segment when it follows a slash. */
const DOT = 2;
/** Percent signs and bytes that RFC 3986 §3.3 does not allow in a path: needs normalising. */
const ODD = 3;
/** Control characters, space and `#`: refused wherever they stand. */
const BAD = 4;

const SLASH = 0x2f;
const PERCENT = 0x25;
const UNRESERVED = /[A-Za-z0-9._~-]/;
const PATH_CHARACTER = /[A-Za-z0-9._~!$&'()*+,;=:@/-]/;

const KINDS = Uint8Array.from({ length: 256 }, (_, code) => kindOfByte(code));
/** What each byte is in a canonical path: itself when unreserved, else its escape in upper case. */
const NORMAL_FORMS = Array.from({ length: 256 }, (_, byte) => normalFormOf(byte));
const HEX_DIGITS = Int8Array.from({ length: 256 }, (_, code) => hexValueOf(code));

function kindOfByte(code: number): number {
  if (isControl(code) || code === 0x20 || code === 0x23) return BAD;
  if (code === 0x3f) return QUERY;
  if (code === 0x2e) return DOT;
  return PATH_CHARACTER.test(String.fromCharCode(code)) ? PLAIN : ODD;
}

function normalFormOf(byte: number): string {
  const character = String.fromCharCode(byte);
  if (UNRESERVED.test(character)) return character;
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function hexValueOf(code: number): number {
  const character = String.fromCharCode(code);
  return /[0-9A-Fa-f]/.test(character) ? Number.parseInt(character, 16) : -1;
}

function isControl(code: number): boolean {
  return code < 0x20 || code === 0x7f;
}

/**
 * Reads a raw request target (`req.url`) in origin form or in absolute form with http or https. Null when it
 * is malformed or could be read in two ways (dot segments, broken escapes, control characters, `#`, `*`,
 * other schemes): the answer is 400. Allocates only the result for a plain path. Never throws.
 */
export function canonicalTarget(target: string): CanonicalTarget | null {
  return target.charCodeAt(0) === SLASH ? readOriginForm(target, null) : readAbsoluteForm(target);
}

function readAbsoluteForm(target: string): CanonicalTarget | null {
  const scheme = /^https?:\/\//i.exec(target);
  if (scheme === null) return null;
  const start = scheme[0].length;
  const length = target.slice(start).search(/[/?]/);
  const end = length < 0 ? target.length : start + length;
  const authority = target.slice(start, end);
  if (hostOf(authority) === null) return null;
  const rest = target.slice(end);
  return readOriginForm(rest.startsWith('/') ? rest : `/${rest}`, authority);
}

function readOriginForm(target: string, authority: string | null): CanonicalTarget | null {
  let end = 1;
  let plain = true;
  for (; end < target.length; end++) {
    const kind = kindAt(target, end);
    if (kind === PLAIN) continue;
    if (kind === QUERY) break;
    if (kind === BAD) return null;
    if (kind === ODD || target.charCodeAt(end - 1) === SLASH) plain = false;
  }
  for (let at = end; at < target.length; at++) if (kindAt(target, at) === BAD) return null;
  const rawPath = end === target.length ? target : target.slice(0, end);
  const path = plain ? rawPath : canonicalPath(rawPath);
  if (path === null) return null;
  const query = end === target.length ? '' : target.slice(end);
  return { path, rawPath, query, authority, originForm: target };
}

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 256 ? KINDS[code]! : BAD;
}

/** The canonical form of a raw path without query; null when it must be refused. */
function canonicalPath(raw: string): string | null {
  const path = normalise(raw);
  return path === null || hasDotSegment(path) ? null : path;
}

function normalise(raw: string): string | null {
  let path = '';
  let from = 0;
  let lead = 0;
  for (let at = 0; at < raw.length; at++) {
    const code = raw.charCodeAt(at);
    if (KINDS[code] !== ODD) {
      lead = 0;
      continue;
    }
    const byte = code === PERCENT ? escapedByte(raw, at) : code;
    if (byte < 0 || isControl(byte) || isOverlong(lead, byte)) return null;
    path += raw.slice(from, at) + NORMAL_FORMS[byte]!;
    if (code === PERCENT) at += 2;
    from = at + 1;
    lead = byte;
  }
  return path + raw.slice(from);
}

function escapedByte(text: string, at: number): number {
  const high = hexDigit(text.charCodeAt(at + 1));
  const low = hexDigit(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function hexDigit(code: number): number {
  return code < 256 ? HEX_DIGITS[code]! : -1;
}

/** Whether two bytes begin an overlong UTF-8 form (RFC 3629 §3): `%C0%AF` is a slash to careless decoders. */
function isOverlong(lead: number, byte: number): boolean {
  if (byte < 0x80 || byte > 0xbf) return false;
  return lead === 0xc0 || lead === 0xc1 || (lead === 0xe0 && byte < 0xa0) || (lead === 0xf0 && byte < 0x90);
}

/**
 * Whether a piece is `.` or `..`, whatever a backend may take for the end of a piece: a slash or backslash,
 * plain or encoded, or the parameters behind a `;`. Expects escapes in upper case.
 */
function hasDotSegment(path: string): boolean {
  for (let at = path.indexOf('.'); at >= 0; at = path.indexOf('.', at + 1)) {
    if (!startsPiece(path, at)) continue;
    const end = path.charCodeAt(at + 1) === 0x2e ? at + 2 : at + 1;
    if (endsPiece(path, end)) return true;
  }
  return false;
}

function startsPiece(path: string, at: number): boolean {
  return path.charCodeAt(at - 1) === SLASH || path.endsWith('%2F', at) || path.endsWith('%5C', at);
}

function endsPiece(path: string, at: number): boolean {
  if (at === path.length) return true;
  const code = path.charCodeAt(at);
  if (code !== PERCENT) return code === SLASH || code === 0x3b;
  return path.startsWith('%2F', at) || path.startsWith('%5C', at) || path.startsWith('%3B', at);
}

/**
 * The canonical form of a literal segment of a configured path: what an operator writes as `größe` or
 * `a%7eb` matches what clients send for it. Throws a RangeError for what no request could ever match.
 */
export function canonicalSegment(literal: string): string {
  const escaped = escapeForeign(literal);
  const path = escaped.includes('/') ? null : canonicalPath(`/${escaped}`);
  if (path === null) throw new RangeError(`no request can match the path segment: ${literal}`);
  return path.slice(1);
}

/** A configured text with spaces, control characters and everything beyond ASCII as UTF-8 escapes. */
export function escapeForeign(text: string): string {
  return text.toWellFormed().replaceAll(/[^\u0021-\u007e]/gu, encodeURIComponent);
}

/** A canonical segment with its escapes decoded, `%2F` too; as it is when they are not UTF-8. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
