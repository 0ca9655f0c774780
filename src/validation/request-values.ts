import type { Exchange } from '../exchange/exchange.js';

/** The texts under each name. Null = they cannot be read. */
export type Values = ReadonlyMap<string, readonly string[]> | null;

export function pathValues({ params }: Exchange): Values {
  return new Map(Object.entries(params).map(([name, text]) => [name, [text]]));
}

/** Decoded as forms are (`+` is a space); null for what is no percent-encoded UTF-8. */
export function queryValues({ target }: Exchange): Values {
  const values = new Map<string, string[]>();
  for (const pair of target!.query.slice(1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    const text = decoded(equals < 0 ? '' : pair.slice(equals + 1));
    if (name === null || text === null) return null;
    append(values, name, text);
  }
  return values;
}

/**
 * By lower-case name with `-` for `_`, one text for each line, as `latin1`: upstreams that put headers in variables read
 * `x_role` and `x-role` as the same.
 */
export function headerValues({ head }: Exchange): Values {
  const values = new Map<string, string[]>();
  const raw = head.rawHeaders;
  for (let at = 0; at < raw.length; at += 2) append(values, plainName(raw[at]!), raw[at + 1]!);
  return values;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function append(values: Map<string, string[]>, name: string, text: string): void {
  const texts = values.get(name);
  if (texts === undefined) values.set(name, [text]);
  else texts.push(text);
}

/** @param raw bytes as `latin1` text */
function decoded(raw: string): string | null {
  try {
    const escaped = raw
      .replaceAll('+', ' ')
      .replaceAll(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
    return decodeURIComponent(escaped);
  } catch {
    return null;
  }
}
