import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { FileKey, SecretKey } from './fixed-keys.js';
import type { KeySetEvents } from './key-set-events.js';

const file = join(mkdtempSync(join(tmpdir(), 'nexus-key-')), 'key.pem');
const events = {
  unavailable: vi.fn<KeySetEvents['unavailable']>(),
  recovered: vi.fn<KeySetEvents['recovered']>(),
};
const header = { alg: 'EdDSA', kid: 'any' };

function write(): KeyObject {
  const { publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }));
  return publicKey;
}

describe('the key in a file', () => {
  it('is for the algorithms of its type alone', () => {
    write();
    const keys = new FileKey(file, events);
    const found = ['EdDSA', 'RS256', 'ES256', 'HS256', 'none'].map((alg) => keys.keyFor({ ...header, alg }));
    expect(found.map((key) => key !== null)).toEqual([true, false, false, false, false]);
  });

  it('is another one after a document came into force, when the file is', async () => {
    write();
    const keys = new FileKey(file, events);
    const before = keys.keyFor(header)!;
    const next = write();
    keys.inForce();
    await vi.waitFor(() => expect(before.live).toBe(false));
    expect(keys.keyFor(header)!.key.equals(next)).toBe(true);
  });

  it('stays when the file is gone or broken, and that is told', async () => {
    write();
    const keys = new FileKey(file, events);
    const before = keys.keyFor(header)!;
    writeFileSync(file, 'no key');
    keys.inForce();
    await vi.waitFor(() => expect(events.unavailable).toHaveBeenCalledTimes(1));
    rmSync(file);
    keys.inForce();
    await vi.waitFor(() => expect(events.unavailable).toHaveBeenCalledTimes(2));
    expect(events.unavailable).toHaveBeenLastCalledWith(file, expect.objectContaining({ code: 'ENOENT' }), 1);
    expect([keys.keyFor(header), before.live]).toEqual([before, true]);
    expect(() => new FileKey(file, events)).toThrow(/ENOENT/);
  });
});

it('a secret is for the HS algorithms alone', () => {
  const keys = new SecretKey('x'.repeat(32));
  const found = ['HS256', 'HS512', 'RS256', 'EdDSA', 'none'].map((alg) =>
    keys.keyFor({ alg, kid: undefined }),
  );
  expect(found.map((key) => key !== null)).toEqual([true, true, false, false, false]);
});
