import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LoggingConfig } from '../config/observability.config.js';
import { clip, Redaction } from './redaction.js';

const redaction = new Redaction(new LoggingConfig());

describe('a logged target', () => {
  it.each([
    ['/a', '/a'],
    ['/a?x=1', '/a?x=1'],
    ['/a?', '/a?'],
    ['/a?token=s3cret', '/a?token=[redacted]'],
    ['/a?x=1&token=s3cret&y=2', '/a?x=1&token=[redacted]&y=2'],
    ['/a?token=one&token=two', '/a?token=[redacted]&token=[redacted]'],
    ['/a?token=', '/a?token=[redacted]'],
    ['/a?token', '/a?token'],
    ['/a?TOKEN=s3cret', '/a?TOKEN=[redacted]'],
    ['/a?t%6fken=s3cret', '/a?t%6fken=[redacted]'],
    ['/a?api%5Fkey=s3cret', '/a?api%5Fkey=[redacted]'],
    ['/a?token=a=b', '/a?token=[redacted]'],
    ['/a?token=a;b', '/a?token=[redacted]'],
    ['/a?x=1;token=s3cret&y=2', '/a?x=1;token=[redacted]&y=2'],
    ['/a?x=?token=s3cret', '/a?x=?token=s3cret'],
    ['/a?tokens=1&my_token=2', '/a?tokens=1&my_token=2'],
    ['/a?%zz=1&token=s3cret', '/a?%zz=1&token=[redacted]'],
    ['/a?&&token=s3cret&', '/a?&&token=[redacted]&'],
    ['http://ann:s3cret@host/a?token=s3cret', 'http://[redacted]@host/a?token=[redacted]'],
    ['http://host/a@b', 'http://host/a@b'],
    ['*', '*'],
    ['', ''],
  ])('%s is shown as %s', (target, shown) => {
    expect(redaction.redactTarget(target)).toBe(shown);
  });

  it('shows no secret, wherever it stands', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '=', '&', ';', '%', '?', '1') });
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        const shown = redaction.redactQuery(`${before}&token=S3CRET${after}`);
        expect(shown).not.toContain('S3CRET');
        expect(shown).toContain('token=[redacted]');
      }),
    );
  });

  it('names more secrets where the config does', () => {
    const own = new Redaction({ redact_headers: [], redact_query: ['Sig'] });
    expect(own.redactTarget('/?sig=1&token=2')).toBe('/?sig=[redacted]&token=2');
  });
});

describe('logged headers', () => {
  it('hide the secret ones, in any case, and join repeated ones', () => {
    const raw = [
      'Authorization',
      'Bearer x',
      'COOKIE',
      'a=b',
      'Accept',
      'a',
      'accept',
      'b',
      '__proto__',
      'c',
    ];
    expect(Object.entries(redaction.redactHeaders(raw))).toEqual([
      ['authorization', '[redacted]'],
      ['cookie', '[redacted]'],
      ['accept', 'a, b'],
      ['__proto__', 'c'],
    ]);
  });
});

describe('clip', () => {
  it('keeps what fits', () => {
    expect(clip('x'.repeat(1024))).toBe('x'.repeat(1024));
    expect(clip('ä'.repeat(512))).toBe('ä'.repeat(512));
  });

  it('cuts at a character’s border', () => {
    expect(clip('x'.repeat(8192))).toBe('x'.repeat(1024));
    expect(clip(`x${'ä'.repeat(512)}`)).toBe(`x${'ä'.repeat(511)}`);
    expect(clip('xx😀', 5)).toBe('xx');
  });

  it('is never longer than it may be, and always a beginning', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (text, limit) => {
          const cut = clip(text, limit);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(limit);
          expect(text.startsWith(cut)).toBe(true);
        },
      ),
    );
  });
});
