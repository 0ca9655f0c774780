import { describe, expect, it } from 'vitest';

import { sameData } from './same-data.js';

class Settings {
  limit = 1;
}

describe('sameData', () => {
  it.each([
    [1, 1],
    [null, null],
    [undefined, undefined],
    [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] }],
    [new Settings(), { limit: 1 }],
    [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('%j says the same as %j', (a, b) => {
    expect(sameData(a, b)).toBe(true);
  });

  it.each([
    [1, '1'],
    [null, undefined],
    [null, {}],
    [[], {}],
    [[1, 2], [1]],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: undefined }, { b: undefined }],
    [{ a: { b: [1] } }, { a: { b: [2] } }],
    // Headers are set in the order in which they are written.
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ])('%j does not say the same as %j', (a, b) => {
    expect(sameData(a, b)).toBe(false);
    expect(sameData(b, a)).toBe(false);
  });
});
