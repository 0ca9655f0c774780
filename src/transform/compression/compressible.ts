import { indexOfHeader } from '../../common/raw-headers.js';
import type { UpstreamHead } from '../../exchange/response.js';

/** Whether answers of a media type (lower case, without parameters) are to be compressed. */
export type TypeTest = (mediaType: string) => boolean;

/** Statuses whose body is not whole, or that have none. */
const EXCLUDED: ReadonlySet<number> = new Set([204, 205, 206, 304]);

/** Compiles `compression.types`. */
export function compileTypes(types: readonly string[]): TypeTest {
  const lower = types.map((type) => type.toLowerCase());
  const exact = new Set(lower.filter((type) => !type.endsWith('/*')));
  const families = lower.filter((type) => type.endsWith('/*')).map((type) => type.slice(0, -1));
  // An event has to leave when it comes, however small it is.
  return (type) =>
    type !== 'text/event-stream' && (exact.has(type) || families.some((family) => type.startsWith(family)));
}

/**
 * Whether the answer may be sent in another coding, whatever the client takes: whole, not coded yet, of one of the types,
 * and without `no-transform` (RFC 9110 §7.7).
 */
export function isCompressible({ status, headers }: UpstreamHead, isType: TypeTest): boolean {
  if (EXCLUDED.has(status) || indexOfHeader(headers, 'content-range') >= 0) return false;
  const type = indexOfHeader(headers, 'content-type');
  return type >= 0 && isType(mediaTypeOf(headers[type + 1]!)) && mayBeCoded(headers);
}

/**
 * Whether the 200 that a 206 or a 304 stands for is one that other clients get in another coding, as far as can be told
 * (RFC 9110 §15.3.7, §15.4.5): a 304 need not name type and length, and several parts have a type of their own.
 * @param minSize bytes from which on bodies are compressed
 */
export function isOfCompressible(head: UpstreamHead, isType: TypeTest, minSize: number): boolean {
  const { status, headers } = head;
  const at = indexOfHeader(headers, 'content-type');
  const type = at < 0 ? '' : mediaTypeOf(headers[at + 1]!);
  const isUnknown = status === 304 ? at < 0 : type === 'multipart/byteranges';
  return (isUnknown || isType(type)) && mayBeCoded(headers) && !(wholeLength(head) < minSize);
}

function mayBeCoded(headers: readonly string[]): boolean {
  return indexOfHeader(headers, 'content-encoding') < 0 && !forbidsTransform(headers);
}

/** Of the 200, in bytes; NaN where that is not told. */
function wholeLength({ status, headers }: UpstreamHead): number {
  const at = indexOfHeader(headers, status === 304 ? 'content-length' : 'content-range');
  return at < 0 ? NaN : Number(/(?:^|\/)(\d+)$/.exec(headers[at + 1]!)?.[1]);
}

/** Either side may forbid it, in any of its `Cache-Control` lines. */
export function forbidsTransform(headers: readonly string[]): boolean {
  let at = indexOfHeader(headers, 'cache-control');
  for (; at >= 0; at = indexOfHeader(headers, 'cache-control', at + 2))
    if (/(?:^|[,\s])no-transform(?:$|[,\s])/i.test(headers[at + 1]!)) return true;
  return false;
}

function mediaTypeOf(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}
