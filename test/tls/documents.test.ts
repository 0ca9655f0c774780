import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ConfigError, parseConfig } from '../../src/config/loader.js';
import { configWarnings } from '../../src/config/warnings.js';
import { closeAtEnd } from '../support/index.js';
import { tlsFile } from '../support/tls.js';

function read(tls: object, owner: 'server' | 'admin' = 'server') {
  const document = { [owner]: { tls }, routes: [{ path: '/', backends: [{ url: 'http://h' }] }] };
  return parseConfig(JSON.stringify(document), { file: 'g.json', format: 'json', env: {} });
}

/** What is wrong, as it is printed. */
function issuesOf(...args: Parameters<typeof read>): string[] {
  try {
    read(...args);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(String);
  }
}

const good = { cert_file: tlsFile('localhost.crt'), key_file: tlsFile('localhost.key') };

describe.each(['server', 'admin'] as const)('%s.tls', (owner) => {
  it('takes chains, both kinds of keys, and authorities', () => {
    const chain = { cert_file: tlsFile('rsa-chain.crt'), key_file: tlsFile('rsa-chain.key') };
    const asking = { ...chain, client_auth: 'require', client_ca_file: tlsFile('mutual-ca.crt') };
    for (const tls of [good, chain, asking]) expect(issuesOf(tls, owner)).toEqual([]);
  });

  it.each([
    [
      'a key of another certificate',
      { key_file: tlsFile('users.key') },
      'key_file',
      /does not belong to cert_file/,
    ],
    ['a key with a passphrase', { key_file: tlsFile('client-encrypted.key') }, 'key_file', /is encrypted/],
    ['a certificate for a key', { key_file: tlsFile('localhost.crt') }, 'key_file', /holds no private key/],
    ['no PEM', { cert_file: tlsFile('README.md') }, 'cert_file', /holds no certificate/],
    ['no file', { cert_file: '/nowhere.pem' }, 'cert_file', /cannot be read \(ENOENT\)/],
    ['a directory', { cert_file: tmpdir() }, 'cert_file', /is not a file/],
    [
      'authorities that are none',
      { client_ca_file: tlsFile('localhost.key') },
      'client_ca_file',
      /holds no certificate/,
    ],
    ['nobody to verify with', { client_auth: 'require' }, 'client_auth', /expected client_ca_file/],
    ['an old version', { min_version: 'TLSv1.1' }, 'min_version', /expected .*TLSv1\.2/],
  ])('refuses %s with its place', (_what, tls, key, reason) => {
    const issues = issuesOf({ ...good, ...tls }, owner);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(new RegExp(String.raw`^g\.json:1:\d+ ${owner}\.tls\.${key}: `));
    expect(issues[0]).toMatch(reason);
  });

  it('refuses a chain in the wrong order: the leaf comes first', () => {
    const path = mkdtempSync(join(tmpdir(), 'nexus-tls-'));
    closeAtEnd(() => rmSync(path, { recursive: true }));
    const swapped = join(path, 'swapped.crt');
    const blocks = readFileSync(tlsFile('rsa-chain.crt'), 'latin1').split(/(?<=-----END CERTIFICATE-----\n)/);
    writeFileSync(swapped, blocks.toReversed().join(''));
    const tls = { cert_file: swapped, key_file: tlsFile('rsa-chain.key') };
    expect(issuesOf(tls, owner)).toEqual([expect.stringContaining('does not belong to cert_file')]);
  });

  it('warns of a certificate that is over', () => {
    const tls = { cert_file: tlsFile('expired.crt'), key_file: tlsFile('users.key') };
    expect(configWarnings(read(tls, owner)).map(String)).toEqual([
      expect.stringMatching(new RegExp(String.raw`^g\.json:1:\d+ ${owner}\.tls\.cert_file: .*ended on 20`)),
    ]);
    expect(configWarnings(read(good, owner))).toEqual([]);
  });
});
