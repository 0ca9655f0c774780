import { describe, expect, it } from 'vitest';

import { compileTypes, forbidsTransform, isCompressible } from './compressible.js';

const isType = compileTypes(['text/*', 'application/JSON']);

function judged(headers: string[], status = 200): boolean {
  return isCompressible({ status, statusText: '', headers, contentLength: -1 }, isType);
}

describe('isCompressible', () => {
  it.each([
    ['text/html', true],
    ['Text/HTML; charset=utf-8', true],
    ['application/json;charset=utf-8', true],
    ['application/json5', false],
    ['image/png', false],
    ['textual/html', false],
    ['text/event-stream', false],
    ['TEXT/Event-Stream ; x=y', false],
    ['', false],
  ])('%s: %s', (type, expected) => {
    expect(judged(['Content-Type', type])).toBe(expected);
  });

  it.each([204, 205, 206, 304])('leaves %i alone', (status) => {
    expect(judged(['Content-Type', 'text/html'], status)).toBe(false);
  });

  it.each([
    ['Content-Encoding', 'gzip'],
    ['content-encoding', 'identity'],
    ['Content-Range', 'bytes 0-1/2'],
    ['Cache-Control', 'max-age=5,no-transform'],
    ['Cache-Control', 'No-Transform'],
  ])('leaves alone what has %s: %s', (name, value) => {
    expect(judged(['Content-Type', 'text/html', name, value])).toBe(false);
  });

  it('leaves alone what says nothing of its type', () => {
    expect(judged(['X', 'text/html'])).toBe(false);
  });
});

describe('forbidsTransform', () => {
  it('reads every line', () => {
    expect(forbidsTransform(['Cache-Control', 'no-cache', 'cache-control', 'no-transform'])).toBe(true);
    expect(forbidsTransform(['Cache-Control', 'no-cache, x-no-transform'])).toBe(false);
  });
});
