/** One segment of a configured path: a text in canonical form, or a parameter. */
export type PathSegment = { readonly literal: string } | { readonly param: string };

/** A configured path, parsed. `/` has no segments. */
export interface RoutePath {
  readonly segments: readonly PathSegment[];
  /** Whether the path ends in `/`: significant for `exact` routes, ignored for prefixes. `/` itself has none. */
  readonly trailingSlash: boolean;
}

const PARAM_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const UNRESERVED = /[A-Za-z0-9\-._~]/;
/** What may not stand in a path (RFC 3986 §3.3), but for escapes. */
const FOREIGN = /[^A-Za-z0-9._~!$&'()*+,;=:@%-]+/gu;
const LONE_SURROGATE = /\p{Surrogate}/u;
const CONTROL_ESCAPE = /%([01][0-9A-F]|7F)/;
const PIECE_BORDER = /%2F|%5C/;
/** RFC 3629 §3: such bytes are no characters, but a slash or dot to careless decoders. */
const OVERLONG = /%C[01]%[89AB]|%E0%[89]|%F0%8/;

/**
 * Parses the `path` of a route. Literals come out in the canonical form of request paths: unreserved
 * characters percent-decoded once, other escapes in upper case, and what may not stand in a path escaped.
 * Throws a RangeError that says what is wrong and what was expected.
 */
export function parseRoutePath(path: string): RoutePath {
  if (!path.startsWith('/'))
    throw new RangeError('does not begin with /, expected a path such as /api/users');
  refuseForeign(path);
  const pieces = path.slice(1).split('/');
  const trailingSlash = pieces.length > 1 && pieces.at(-1) === '';
  if (trailingSlash || path === '/') pieces.pop();
  const segments = pieces.map(parseSegment);
  refuseDuplicates(segments);
  return { segments, trailingSlash };
}

/**
 * The path without the names of its parameters: two paths with the same shape match the same requests
 * (`/a/{x}` and `/a/:y`). A trailing slash is kept only when `exact` is set.
 */
export function pathShape(path: RoutePath, exact: boolean): string {
  const shape = path.segments.map((segment) => ('literal' in segment ? segment.literal : '{}')).join('/');
  return `/${shape}${exact && path.trailingSlash ? '/' : ''}`;
}

function refuseForeign(path: string): void {
  if (path.includes('?')) throw new RangeError('holds a query, expected a path alone (see the key `query`)');
  if (path.includes('#')) throw new RangeError('holds a fragment, expected a path alone');
  if (path.includes('\\')) throw new RangeError('holds a backslash, expected / between segments');
  if (/[\s\p{Cc}]/u.test(path))
    throw new RangeError('holds white space or a control character, expected it escaped (%20)');
  if (LONE_SURROGATE.test(path)) throw new RangeError('holds half a character, expected well-formed text');
  if (/%(?![0-9A-Fa-f]{2})/.test(path))
    throw new RangeError('holds a broken escape, expected % and two hex digits');
}

function parseSegment(text: string): PathSegment {
  if (text === '') throw new RangeError('holds an empty segment (//), expected text between slashes');
  if (text.startsWith(':')) return { param: paramName(text.slice(1)) };
  if (text.startsWith('{') && text.endsWith('}')) return { param: paramName(text.slice(1, -1)) };
  if (/[{}]/.test(text))
    throw new RangeError('holds a brace inside a segment, expected a parameter to be a whole segment');
  if (text === '*' || text === '**')
    throw new RangeError('holds a wildcard, expected none: a path is a prefix, {name} is one segment');
  return { literal: literal(text) };
}

function paramName(name: string): string {
  if (PARAM_NAME.test(name)) return name;
  throw new RangeError('holds a bad parameter name, expected a letter or _ and then letters, digits or _');
}

function literal(text: string): string {
  const canonical = text
    .replace(FOREIGN, (characters) => encodeURIComponent(characters))
    .replace(ESCAPE, (_, hex: string) => unescapeUnreserved(hex));
  if (CONTROL_ESCAPE.test(canonical))
    throw new RangeError('holds an escaped control character, expected none');
  if (OVERLONG.test(canonical)) throw new RangeError('holds overlong UTF-8, expected well-formed text');
  for (const piece of canonical.split(PIECE_BORDER)) refuseDots(piece);
  return canonical;
}

/** RFC 3986 §6.2.2: escapes of unreserved characters mean the character; hex digits are upper case. */
function unescapeUnreserved(hex: string): string {
  const character = String.fromCharCode(Number.parseInt(hex, 16));
  return UNRESERVED.test(character) ? character : `%${hex.toUpperCase()}`;
}

/** Requests with such a piece are refused (canonical path), so that the route could never match. */
function refuseDots(piece: string): void {
  const [name] = piece.split(/;|%3B/, 1);
  if (name === '.' || name === '..') throw new RangeError('holds a . or .. segment, expected none');
}

function refuseDuplicates(segments: readonly PathSegment[]): void {
  const names = segments.flatMap((segment) => ('param' in segment ? [segment.param] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new RangeError('names a parameter twice, expected different names');
}
