import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { BodyCopy } from './body-copy.js';

describe('BodyCopy', () => {
  it('holds the bytes of all pieces in order', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 30 });
    fc.assert(
      fc.property(pieces, (arrays) => {
        const copy = new BodyCopy(1_000_000);
        for (const bytes of arrays) expect(copy.append(Buffer.from(bytes))).toBe(true);
        expect(copy.bytes.equals(Buffer.concat(arrays))).toBe(true);
        expect(copy.length).toBe(copy.bytes.length);
      }),
    );
  });

  it('never takes more room than its limit, and none once it was passed', () => {
    const copy = new BodyCopy(10_000);
    for (let at = 0; at < 10_000; at++) expect(copy.append(Buffer.from('a'))).toBe(true);
    expect(copy.bytes.buffer.byteLength).toBeLessThanOrEqual(10_000);
    expect(copy.append(Buffer.alloc(0))).toBe(true);
    expect(copy.append(Buffer.from('a'))).toBe(false);
    expect(copy.bytes.buffer.byteLength).toBe(0);
  });
});
