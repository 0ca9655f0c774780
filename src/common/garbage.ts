import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** As V8's `gc` takes them. */
interface GarbageOptions {
  readonly type: 'minor' | 'major';
  readonly flavor?: 'last-resort';
}

/** Bytes of dead read buffers that may pile up before they are collected. */
const LIMIT = 16 * 1024 * 1024;
/** Smaller pieces share a page with others and are not worth counting, in bytes. */
const COUNTED = 16 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: GarbageOptions) => void;
let passed = 0;

/**
 * To be told of each piece of a body that went through. Node reads a socket into a new buffer of up to 64 KB every time,
 * outside of V8's heap, and V8 lets 64 MB of dead ones gather before it looks (docs/decisions/0008-dead-read-buffers.md). A
 * collection of the young generation alone takes about a millisecond.
 */
export function bufferPassed(bytes: number): void {
  if (bytes < COUNTED) return;
  passed += bytes;
  if (passed < LIMIT) return;
  passed = 0;
  collect({ type: 'minor' });
}

/**
 * Gives back what a start has needed and a running gateway does not: about a quarter of its memory. It takes some
 * tenths of a second, in which nothing else happens.
 */
export function collectStart(): void {
  collect({ type: 'major', flavor: 'last-resort' });
}
