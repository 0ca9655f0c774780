import type { ReceivedHead } from '../../exchange/upstream.js';
import { MalformedResponseError } from './faults.js';

/** A head with what only the connection needs of it. */
export interface ParsedHead extends ReceivedHead {
  /** Of HTTP/1.x: 0 or 1. */
  readonly minorVersion: number;
  /** Value of Keep-Alive, in which a backend says how long it waits. */
  readonly keepAlive: string | null;
}

/** A field line: no space before the colon, no fold, no control characters (RFC 9112 §5). */
const LINES = "(?:[!#$%&'*+\\-.^_`|~0-9A-Za-z]+:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n)*";
const HEAD = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: [\\t\\x20-\\x7e\\x80-\\xff]*)?\\r\\n${LINES}$`);
const FIELDS = new RegExp(`^${LINES}$`);
const TAB = 9;
const SPACE = 32;

/**
 * Reads status line and field lines (RFC 9112 §4, §5), each with its CRLF, without the empty line behind them.
 * @param text the bytes as latin1
 * @throws MalformedResponseError
 */
export function parseHead(text: string): ParsedHead {
  if (!HEAD.test(text)) throw new MalformedResponseError(whyNot(text));
  const statusEnd = text.indexOf('\r\n');
  const fields = fieldsFrom(text, statusEnd + 2);
  const head = {
    status: Number(text.slice(9, 12)),
    statusText: text.slice(13, statusEnd),
    minorVersion: text.charCodeAt(7) - 48,
    fields,
    connection: null,
    keepAlive: null,
    transferEncoding: null,
    contentLength: -1,
  };
  readKnown(head, fields);
  return head;
}

/** Trailer fields as name, value, name, value, … (RFC 9112 §7.1.2). */
export function parseTrailers(text: string): string[] {
  if (!FIELDS.test(text)) throw new MalformedResponseError('trailer fields');
  return fieldsFrom(text, 0);
}

function whyNot(text: string): string {
  if (!/^HTTP\/1\.[01] [1-9]\d\d[ \r]/.test(text)) return 'status line';
  return 'header fields';
}

/** The text is known to be lines with a colon each. */
function fieldsFrom(text: string, start: number): string[] {
  const fields: string[] = [];
  for (let at = start; at < text.length;) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    fields.push(text.slice(at, colon), trimmed(text, colon + 1, end));
    at = end + 2;
  }
  return fields;
}

/** Without the optional white space around a value (RFC 9110 §5.5). */
function trimmed(text: string, from: number, to: number): string {
  while (from < to && isSpace(text.charCodeAt(from))) from++;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

interface KnownFields {
  connection: string | null;
  keepAlive: string | null;
  transferEncoding: string | null;
  contentLength: number;
}

/** Finds what frames the message, by the lengths of the names first: most are others. */
function readKnown(head: KnownFields, fields: readonly string[]): void {
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at]!;
    const { length } = name;
    if (length !== 10 && length !== 14 && length !== 17) continue;
    const value = fields[at + 1]!;
    const lower = name.toLowerCase();
    if (lower === 'content-length') head.contentLength = lengthOf(value, head.contentLength);
    else if (lower === 'connection') head.connection = joined(head.connection, value);
    else if (lower === 'keep-alive') head.keepAlive = joined(head.keepAlive, value);
    else if (lower === 'transfer-encoding') head.transferEncoding = joined(head.transferEncoding, value);
  }
  // Whoever believes the other one of the two sees another message (RFC 9112 §6.3).
  if (head.transferEncoding !== null && head.contentLength >= 0)
    throw new MalformedResponseError('Content-Length and Transfer-Encoding');
}

function joined(known: string | null, value: string): string {
  return known === null ? value : `${known}, ${value}`;
}

function lengthOf(value: string, known: number): number {
  const length = /^\d+$/.test(value) ? Number(value) : -1;
  if (known >= 0 || length < 0 || !Number.isSafeInteger(length))
    throw new MalformedResponseError('Content-Length');
  return length;
}
