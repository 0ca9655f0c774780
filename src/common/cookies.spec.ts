import { describe, expect, it } from 'vitest';

import { cookieValue, withoutCookie } from './cookies.js';

describe('cookieValue', () => {
  it.each([
    ['a=1', 'a', '1'],
    ['b=2; a=1', 'a', '1'],
    ['b=2;a=1;a=3', 'a', '1'],
    [' a = x=y ', 'a', 'x=y'],
    ['a=', 'a', ''],
    ['ba=1; ab=2', 'a', null],
    ['a; b', 'a', null],
    ['A=1', 'a', null],
    ['', 'a', null],
  ])('in %j, %s is %j', (header, name, value) => {
    expect(cookieValue(header, name)).toBe(value);
  });
});

describe('withoutCookie', () => {
  it.each([
    ['a=1', null],
    ['a=1; b=2', 'b=2'],
    ['b=2; a=1', 'b=2'],
    ['b=2; a=1; c="x y"', 'b=2; c="x y"'],
    ['a=1;a=2;b=%20', 'b=%20'],
    ['ba=1;  ab=a=1', 'ba=1;  ab=a=1'],
    ['b=2 ;c', 'b=2 ;c'],
    ['a=1; a', 'a'],
    ['', ''],
  ])('of %j leaves %j', (header, left) => {
    expect(withoutCookie(header, 'a')).toBe(left);
  });
});
