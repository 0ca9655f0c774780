import type { LoggingConfig } from '../config/observability.config.js';

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Longest text of a client in a line, in bytes of UTF-8. */
export const CLIENT_TEXT_LIMIT = 1024;

type RedactionNames = Pick<LoggingConfig, 'redact_headers' | 'redact_query'>;

/** Keeps the secrets that `redact_headers` and `redact_query` name out of logs. */
export class Redaction {
  private headerNames: ReadonlySet<string> = new Set();
  private queryNames: ReadonlySet<string> = new Set();

  constructor(config: RedactionNames) {
    this.use(config);
  }

  /** Takes over other names, from the next line on. */
  use(config: RedactionNames): void {
    this.headerNames = lowerCased(config.redact_headers);
    this.queryNames = lowerCased(config.redact_query);
  }

  /** The headers (name, value, name, value, …) as an object, secrets replaced, every value cut at 1 KB. */
  redactHeaders(raw: readonly string[]): Record<string, string> {
    // A client may name a header `__proto__`.
    const shown: Record<string, string> = Object.create(null);
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = raw[at]!.toLowerCase();
      const value = this.headerNames.has(name) ? REDACTED : clip(raw[at + 1]!);
      shown[name] = name in shown ? clip(`${shown[name]}, ${value}`) : value;
    }
    return shown;
  }

  /**
   * The request target with the values of secret query parameters replaced. Names are compared after
   * percent-decoding, in any case; a name may follow `;` as well as `&`, a secret runs to the next `&`.
   * Credentials in an absolute target (RFC 9110 §4.2.4) are secrets too.
   */
  redactTarget(target: string): string {
    const query = target.indexOf('?');
    if (query < 0) return withoutUserinfo(target);
    if (this.queryNames.size === 0) return withoutUserinfo(target);
    return withoutUserinfo(target.slice(0, query)) + '?' + this.redactQuery(target.slice(query + 1));
  }

  /** The same for a query without its `?`. */
  redactQuery(query: string): string {
    let shown = '';
    let kept = 0;
    let start = 0;
    while (start <= query.length) {
      const end = nameEnd(query, start);
      if (query[end] !== '=' || !this.isSecret(query.slice(start, end))) {
        start = query[end] === '=' ? valueEnd(query, end) + 1 : end + 1;
        continue;
      }
      const over = secretEnd(query, end);
      shown += query.slice(kept, end + 1) + REDACTED;
      kept = over;
      start = over + 1;
    }
    return kept === 0 ? query : shown + query.slice(kept);
  }

  private isSecret(name: string): boolean {
    return this.queryNames.has(decoded(name).toLowerCase());
  }
}

/** The text, cut to at most `limit` bytes of UTF-8 at a character's border. */
export function clip(text: string, limit = CLIENT_TEXT_LIMIT): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= limit || (text.length <= limit && Buffer.byteLength(text) <= limit)) return text;
  const bytes = Buffer.from(text.slice(0, limit));
  if (bytes.length <= limit) return bytes.toString();
  let end = limit;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

function lowerCased(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Where a parameter's name ends: at `=`, `&`, `;` or the end. */
function nameEnd(query: string, from: number): number {
  for (let at = from; at < query.length; at++) {
    const code = query.charCodeAt(at);
    if (code === 0x3d || code === 0x26 || code === 0x3b) return at;
  }
  return query.length;
}

/** Where an ordinary value ends: servers differ on `;`, so a name is looked for behind it. */
function valueEnd(query: string, from: number): number {
  for (let at = from; at < query.length; at++) {
    const code = query.charCodeAt(at);
    if (code === 0x26 || code === 0x3b) return at;
  }
  return query.length;
}

function secretEnd(query: string, from: number): number {
  const end = query.indexOf('&', from);
  return end < 0 ? query.length : end;
}

function decoded(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function withoutUserinfo(target: string): string {
  if (target.charCodeAt(0) === 0x2f) return target;
  const scheme = target.indexOf('://');
  if (scheme < 0) return target;
  const slash = target.indexOf('/', scheme + 3);
  const authority = target.slice(scheme + 3, slash < 0 ? target.length : slash);
  const at = authority.lastIndexOf('@');
  if (at < 0) return target;
  return target.slice(0, scheme + 3) + REDACTED + target.slice(scheme + 3 + at);
}
