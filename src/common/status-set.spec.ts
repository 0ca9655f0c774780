import { describe, expect, it } from 'vitest';

import { statusSet } from './status-set.js';

describe('statusSet', () => {
  it.each([
    [[503], [503], [502, 504]],
    [['500-599'], [500, 550, 599], [499, 600, 999]],
    [
      [429, '502-504'],
      [429, 502, 503, 504],
      [428, 430, 501, 505],
    ],
    [[], [], [100, 200, 500, 599]],
    [['100-599'], [100, 599], [0, 99, 600]],
  ])('of %j has %j, not %j', (members, inside, outside) => {
    const has = statusSet(members);
    expect(inside.filter(has)).toEqual(inside);
    expect(outside.filter(has)).toEqual([]);
  });
});
