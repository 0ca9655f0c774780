import type { StoredResponse, StoredSet } from '../cache-store.js';

/** Bytes of the number in front of the head. */
const LENGTH = 4;

type Head = Omit<StoredSet, 'variants'> & {
  readonly key: string;
  readonly variants: readonly (Omit<StoredResponse, 'body'> & { readonly bodyBytes: number })[];
};

/** A set as bytes: the length of the head (32 bits, big-endian), the head as JSON, then the bodies one after another. */
export function encodeSet(key: string, set: StoredSet): Buffer {
  const head: Head = {
    ...set,
    key,
    variants: set.variants.map(({ body, ...rest }) => ({ ...rest, bodyBytes: body.length })),
  };
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(LENGTH);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...set.variants.map(({ body }) => body)]);
}

/** Null for what is no set of this key. */
export function decodeSet(key: string, bytes: Buffer): StoredSet | null {
  try {
    const start = LENGTH + bytes.readUInt32BE(0);
    const { key: storedKey, ...head } = JSON.parse(bytes.toString('utf8', LENGTH, start)) as Head;
    if (storedKey !== key) return null;
    return withBodies(head, bytes, start);
  } catch {
    return null;
  }
}

function withBodies(head: Omit<Head, 'key'>, bytes: Buffer, start: number): StoredSet | null {
  let at = start;
  const variants = head.variants.map(({ bodyBytes, ...rest }) => {
    const body = bytes.subarray(at, (at += bodyBytes));
    return { ...rest, body };
  });
  return at === bytes.length ? { ...head, variants } : null;
}
