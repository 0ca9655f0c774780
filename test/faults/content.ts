import { crc32 } from 'node:zlib';

import { Random } from './random.js';

/** Longest body of a run, in bytes. */
export const MAX_SIZE = 4 * 1024 * 1024;

const NOISE = noise(MAX_SIZE + 4096);

function noise(length: number): Buffer {
  const random = new Random(1);
  const bytes = Buffer.alloc(length);
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(random.between(0, 2 ** 32 - 1), at);
  return bytes;
}

/**
 * The body that belongs to a tag, in both directions: both ends can tell every byte of it, so that a byte that is
 * missing, doubled, moved or another exchange's is seen. It begins with the tag, for those who read a failure.
 */
export function contentOf(tag: string, size: number): Buffer {
  const from = crc32(tag) % 4096;
  const body = Buffer.from(NOISE.subarray(from, from + size));
  body.write(`${tag}|`.slice(0, size), 'latin1');
  return body;
}
