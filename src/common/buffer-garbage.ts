import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of dead read buffers that may pile up before they are collected. */
const LIMIT = 16 * 1024 * 1024;
/** Smaller pieces share a page with others and are not worth counting, in bytes. */
const COUNTED = 16 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
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
