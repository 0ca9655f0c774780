import { expect, it } from 'vitest';

import { parseHttpDate } from './http-date.js';

const NOW = Date.UTC(2026, 10, 30);

it.each([
  ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
  ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
  ['Friday, 06-Nov-76 08:49:37 GMT', Date.UTC(2076, 10, 6, 8, 49, 37)],
  ['Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49, 37)],
  ['Sun, 06 Nov 1994 08:49:37 UTC', null],
  ['Sun, 06 Nov 1994 8:49:37 GMT', null],
  ['Sun, 06 Nov 1994 24:49:37 GMT', null],
  ['Sun 06 Nov 1994 08:49:37 GMT', null],
  ['Sun, 06 Nvo 1994 08:49:37 GMT', null],
  ['Sun, 06 ovD 1994 08:49:37 GMT', null],
  ['0', null],
  ['', null],
])('%j is %s (RFC 9110 §5.6.7)', (text, at) => {
  expect(parseHttpDate(text, NOW)).toBe(at);
});
