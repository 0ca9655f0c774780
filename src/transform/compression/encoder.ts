import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';

import type { Coding } from './accept-encoding.js';

export type Encoder = BrotliCompress | Gzip;

/**
 * As good as what servers make on the fly, within bounded memory for each answer: about 0.3 MB for gzip with a window
 * of 16 KB, 1.2 MB for brotli with one of 256 KB (docs/compression.md).
 */
export function createEncoder(coding: Coding): Encoder {
  if (coding === 'gzip') return createGzip({ level: 6, windowBits: 14, memLevel: 7 });
  return createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
  });
}

/** What makes all bytes so far readable for the client. */
export function flushKind(coding: Coding): number {
  return coding === 'gzip' ? constants.Z_SYNC_FLUSH : constants.BROTLI_OPERATION_FLUSH;
}
