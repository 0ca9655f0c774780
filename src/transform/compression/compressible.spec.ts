import { describe, expect, it } from 'vitest';

import { compileTypes, forbidsTransform, isCompressible, isOfCompressible } from './compressible.js';

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

describe('isOfCompressible', () => {
  it.each<[status: number, expected: boolean, ...headers: string[]]>([
    [206, true, 'Content-Type', 'text/html', 'Content-Range', 'bytes 0-9/50'],
    [206, true, 'Content-Type', 'text/html', 'Content-Range', 'bytes 0-9/*'],
    [206, false, 'Content-Type', 'text/html', 'Content-Range', 'bytes 0-9/49'],
    [206, false, 'Content-Type', 'image/png', 'Content-Range', 'bytes 0-9/50'],
    [206, false, 'Content-Range', 'bytes 0-9/50'],
    [206, false, 'Content-Type', 'text/html', 'Content-Encoding', 'gzip'],
    [206, false, 'Content-Type', 'text/html', 'Cache-Control', 'no-transform'],
    [206, true, 'Content-Type', 'multipart/byteranges; boundary=x'],
    [304, true],
    [304, true, 'Content-Type', 'text/html', 'Content-Length', '50'],
    [304, false, 'Content-Length', '49'],
    [304, false, 'Content-Type', 'image/png'],
    [304, false, 'Cache-Control', 'no-transform'],
  ])('%i, %s: %j', (status, expected, ...headers) => {
    const head = { status, statusText: '', headers, contentLength: -1 };
    expect(isOfCompressible(head, isType, 50)).toBe(expected);
  });
});

describe('forbidsTransform', () => {
  it('reads every line', () => {
    expect(forbidsTransform(['Cache-Control', 'no-cache', 'cache-control', 'no-transform'])).toBe(true);
    expect(forbidsTransform(['Cache-Control', 'no-cache, x-no-transform'])).toBe(false);
  });
});
