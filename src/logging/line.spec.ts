import { describe, expect, it } from 'vitest';

import { IsoTime } from './line.js';

describe('IsoTime', () => {
  it('writes what Date writes, forwards and backwards', () => {
    const time = new IsoTime();
    const start = Date.UTC(2026, 11, 31, 23, 59, 59, 0);
    for (const offset of [0, 1, 9, 10, 99, 100, 999, 1_000, 1_001, 86_400_000, 5, -1, -60_000]) {
      expect(time.format(start + offset)).toBe(new Date(start + offset).toISOString());
    }
    expect(time.format(start + 0.9)).toBe('2026-12-31T23:59:59.000Z');
  });
});
