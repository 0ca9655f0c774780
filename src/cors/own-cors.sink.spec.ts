import { expect, it } from 'vitest';

import { dropCors } from './own-cors.sink.js';

it.each([
  [[], true, []],
  [['Date', 'x'], true, ['Date', 'x']],
  [['Access-Control-Allow-Origin', '*', 'Date', 'x'], true, ['Date', 'x']],
  [
    ['a', '1', 'ACCESS-CONTROL-MAX-AGE', '5', 'b', '2', 'access-control-x', '3', 'c', '4'],
    true,
    ['a', '1', 'b', '2', 'c', '4'],
  ],
  [['access-control-', '1', 'access-controls', '2'], true, ['access-control-', '1', 'access-controls', '2']],
  [['Vary', 'Origin', 'vary', 'Accept, Origin'], true, ['vary', 'Accept, Origin']],
  [['Vary', 'Origin'], false, ['Vary', 'Origin']],
])('%j', (lines, varies, kept) => {
  const list = [...lines];
  dropCors(list, varies);
  expect(list).toEqual(kept);
});
