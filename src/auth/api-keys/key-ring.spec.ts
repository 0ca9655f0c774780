import { createHash } from 'node:crypto';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ApiKeyConfig } from '../../config/auth.config.js';
import { KeyRing } from './key-ring.js';

const entry = (fields: Partial<ApiKeyConfig>): ApiKeyConfig =>
  Object.assign(new ApiKeyConfig(), { id: 'a', ...fields });
const hashed = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
/** As a parser reads the bytes of a header. */
const received = (key: string): string => Buffer.from(key).toString('latin1');

describe('identityOf', () => {
  it('says who holds the key', () => {
    const ring = new KeyRing([entry({ id: 'a', key: 'one', roles: ['r'] }), entry({ id: 'b', key: 'two' })]);
    expect(ring.identityOf('one', 0)).toEqual({ kind: 'api_key', id: 'a', roles: ['r'], claims: {} });
    expect(ring.identityOf('two', 0)?.id).toBe('b');
    expect(ring.identityOf('three', 0)).toBeNull();
  });

  it('takes a hash in capitals', () => {
    const hash = hashed('one').toUpperCase().replace('SHA256', 'sha256');
    expect(new KeyRing([entry({ hash })]).identityOf('one', 0)?.id).toBe('a');
  });

  it('knows any key by itself and by its hash, and nothing else', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (key, other) => {
        for (const ring of [new KeyRing([entry({ key })]), new KeyRing([entry({ hash: hashed(key) })])]) {
          expect(ring.identityOf(received(key), 0)).not.toBeNull();
          expect(ring.identityOf(received(other), 0) === null).toBe(received(other) !== received(key));
        }
      }),
    );
  });

  it.each([
    ['2027-01-01', Date.UTC(2027, 0, 1)],
    ['2027-01-01T12:00:00+02:00', Date.UTC(2027, 0, 1, 10)],
  ])('refuses from %s on', (expires, moment) => {
    const ring = new KeyRing([entry({ key: 'one', expires })]);
    expect(ring.identityOf('one', moment - 1)).not.toBeNull();
    expect(ring.identityOf('one', moment)).toBeNull();
  });

  it('takes no empty text for a key, whatever the document says', () => {
    expect(new KeyRing([entry({ hash: hashed('') })]).identityOf('', 0)).toBeNull();
  });
});

it('refuses two entries of one key, without naming it', () => {
  const make = (): KeyRing => new KeyRing([entry({ key: 'one' }), entry({ id: 'b', hash: hashed('one') })]);
  expect(make).toThrow('auth.api_keys: b is a key that stands there twice');
});
