import { expect, it } from 'vitest';

import { saysJson } from './media-type.js';

it.each([
  ['application/json', true],
  ['APPLICATION/JSON', true],
  ['application/json ;charset=utf-8', true],
  ['application/json;', true],
  ['application/json; charset="UTF-8"; x=y', true],
  ['application/json; charset=utf8', true],
  ['application/problem+json', true],
  ['application/vnd.a.b-c+json;v=1', true],
  ['application/json;\tcharset = "utf-8" ; profile=https://a.example/b;', true],
  ['application/json; charset=utf-16', false],
  ['application/json;charset =utf-16', false],
  ['application/json ; charset = utf-16', false],
  ['application/json ; charset = utf-8', true],
  ["application/json; charset*=utf-8''utf-16", false],
  ['application/json; charset*0=utf-16', false],
  ['application/json; charset="utf-\\8"', false],
  ['application/json; x="; charset=utf-8"; charset=utf-16', false],
  ['application/json; x="; charset=utf-16"', true],
  ['application/json; "charset=utf-8"; charset=utf-16', false],
  ['application/json; charset', false],
  ['application/json; charset=utf-8; charset=utf-7', false],
  ['application/jsonp', false],
  ['application/json, text/plain', false],
  ['text/json', false],
  ['text/plain', false],
  ['application/x-www-form-urlencoded', false],
  ['+json', false],
  ['', false],
])('%s: %s', (type, expected) => {
  expect(saysJson(['Content-Type', type])).toBe(expected);
});

it('takes one type, and no coding', () => {
  expect(saysJson([])).toBe(false);
  expect(saysJson(['content-type', 'application/json', 'Content-Type', 'text/plain'])).toBe(false);
  expect(saysJson(['content-type', 'application/json', 'Content-Encoding', 'gzip'])).toBe(false);
});
