import { describe, expect, it } from 'vitest';

import type { UpstreamHead } from '../../exchange/response.js';
import { encodedHead, encodedTrailers, revalidatedHead, varyingHead } from './encoded-head.js';

const head = (...headers: string[]): UpstreamHead => ({
  status: 200,
  statusText: 'OK',
  headers,
  contentLength: 5,
});

describe('encodedHead', () => {
  it('says what the bytes are, and no more what they were', () => {
    const before = head(
      'X',
      '1',
      'content-length',
      '5',
      'ETag',
      '"a"',
      'Accept-Ranges',
      'bytes',
      'Content-MD5',
      'm',
      'Digest',
      'd',
      'Content-Digest',
      'c',
      'Repr-Digest',
      'r',
      'Last-Modified',
      'yesterday',
    );
    expect(encodedHead(before, 'br')).toEqual({
      status: 200,
      statusText: 'OK',
      headers: ['X', '1', 'ETag', 'W/"a"', 'Last-Modified', 'yesterday', 'Content-Encoding', 'br'],
      contentLength: -1,
    });
    expect(before.headers).toHaveLength(18);
  });

  it('leaves a weak tag as it is', () => {
    expect(encodedHead(head('etag', 'W/"a"'), 'gzip').headers).toContain('W/"a"');
  });
});

describe('varyingHead', () => {
  it.each([
    [[], ['Vary', 'Accept-Encoding']],
    [
      ['vary', 'Origin'],
      ['vary', 'Origin, Accept-Encoding'],
    ],
    [
      ['Vary', ''],
      ['Vary', 'Accept-Encoding'],
    ],
    [
      ['Vary', 'Origin, accept-encoding'],
      ['Vary', 'Origin, accept-encoding'],
    ],
    [
      ['Vary', '*'],
      ['Vary', '*'],
    ],
    [
      ['Vary', 'Origin', 'Vary', 'Accept-Encoding'],
      ['Vary', 'Origin', 'Vary', 'Accept-Encoding'],
    ],
    [
      ['Vary', 'X-Accept-Encoding'],
      ['Vary', 'X-Accept-Encoding, Accept-Encoding'],
    ],
  ])('%j becomes %j', (before, after) => {
    expect(varyingHead(head(...before)).headers).toEqual(after);
  });
});

describe('revalidatedHead', () => {
  it('gives the tag the client knows', () => {
    expect(revalidatedHead(head('ETag', '"a"'), '"b", W/"a"').headers).toEqual([
      'ETag',
      'W/"a"',
      'Vary',
      'Accept-Encoding',
    ]);
  });

  it.each([
    ['"a"', '"a"'],
    ['W/"a"', 'W/"a"'],
    ['"a"', 'W/"b"'],
  ])('leaves %s as it is for %s', (tag, known) => {
    const before = head('ETag', tag);
    expect(revalidatedHead(before, known)).toBe(before);
  });

  it('needs no tag', () => {
    const before = head();
    expect(revalidatedHead(before, 'W/"a"')).toBe(before);
  });
});

describe('encodedTrailers', () => {
  it('drops digests of other bytes', () => {
    expect(encodedTrailers(['Content-Digest', 'c', 'X', '1'])).toEqual(['X', '1']);
    expect(encodedTrailers(null)).toBeNull();
  });
});
