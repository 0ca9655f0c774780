import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { ConfigError, parseConfig } from '../../src/config/loader.js';
import { masked } from '../../src/config/secrets.js';
import { configWarnings } from '../../src/config/warnings.js';
import { ROOT } from '../support/cli.js';
import { closeAtEnd } from '../support/index.js';

const TLS = `${ROOT}test/fixtures/tls/`;

function read(connection: object, urls = ['https://users.internal'], env: Record<string, string> = {}) {
  const document = { routes: [{ path: '/', backends: urls.map((url) => ({ url })), connection }] };
  return parseConfig(JSON.stringify(document), { file: 'g.json', format: 'json', env });
}

/** What is wrong, without places. */
function issuesOf(...args: Parameters<typeof read>): string[] {
  try {
    read(...args);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(
      ({ path, message }) => `${path.replace('routes[0].connection.', '')}: ${message}`,
    );
  }
}

describe('connection.tls', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nexus-pem-'));
    closeAtEnd(() => rmSync(folder, { recursive: true }));
  });

  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('takes a certificate with its key, authorities and a name', () => {
    const tls = {
      ca_file: `${TLS}mutual-ca.crt`,
      cert_file: `${TLS}client.crt`,
      key_file: `${TLS}client.key`,
      server_name: 'users.internal',
    };
    expect(issuesOf({ tls })).toEqual([]);
    expect(issuesOf({ tls: { server_name: '10.0.0.1' } })).toEqual([]);
  });

  it('refuses a key that belongs to another certificate', () => {
    const tls = { cert_file: `${TLS}client.crt`, key_file: `${TLS}users.key` };
    expect(issuesOf({ tls })).toEqual([
      expect.stringMatching(
        /^tls\.key_file: ".*users\.key" does not belong to cert_file \(".*client\.crt"\)/,
      ),
    ]);
  });

  it('refuses what is no PEM, naming the file', () => {
    const none = file('none.pem', 'hello');
    expect(issuesOf({ tls: { ca_file: none } })).toEqual([
      expect.stringMatching(/^tls\.ca_file: ".*none\.pem" holds no certificate, expected/),
    ]);
    expect(issuesOf({ tls: { cert_file: `${TLS}client.crt`, key_file: none } })).toEqual([
      expect.stringMatching(/^tls\.key_file: ".*none\.pem" holds no private key, expected/),
    ]);
  });

  it('refuses an authority whose second certificate is broken', () => {
    copyFileSync(`${TLS}mutual-ca.crt`, join(folder, 'two.pem'));
    writeFileSync(join(folder, 'two.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', {
      flag: 'a',
    });
    expect(issuesOf({ tls: { ca_file: join(folder, 'two.pem') } })).toEqual([
      expect.stringMatching(/^tls\.ca_file: ".*two\.pem" holds a broken certificate \(number 2\)/),
    ]);
  });

  it('refuses a key with a passphrase', () => {
    const tls = { cert_file: `${TLS}client.crt`, key_file: `${TLS}client-encrypted.key` };
    expect(issuesOf({ tls })).toEqual([
      expect.stringMatching(/client-encrypted\.key" is encrypted, expected a key without passphrase$/),
    ]);
  });

  it('refuses a file that is not there, once', () => {
    expect(issuesOf({ tls: { cert_file: '/nowhere.pem', key_file: `${TLS}client.key` } })).toEqual([
      expect.stringMatching(/^tls\.cert_file: "\/nowhere\.pem" cannot be read \(ENOENT\)/),
    ]);
  });

  it('never shows the contents of a file', () => {
    const secret = file('secret.pem', '-----BEGIN PRIVATE KEY-----\nhush-hush\n-----END PRIVATE KEY-----\n');
    const issues = issuesOf({ tls: { ca_file: secret, cert_file: secret, key_file: secret } });
    expect(issues).toHaveLength(3);
    expect(issues.join()).not.toContain('hush');
  });

  it.each(['*.internal', 'users.internal:443', 'a b'])('refuses the name %s', (server_name) => {
    expect(issuesOf({ tls: { server_name } })).toEqual([expect.stringMatching(/^tls\.server_name: /)]);
  });

  it('refuses settings that nobody uses', () => {
    expect(issuesOf({ tls: { insecure: true } }, ['http://a', 'http://b'])).toEqual([
      'tls: is for nobody, expected an https url of a backend, or no `tls`',
    ]);
  });

  it('warns of a backend without TLS beside others, and of trust in anybody', () => {
    const config = read({ tls: { insecure: true } }, ['https://a', 'http://b']);
    expect(configWarnings(config).map(String)).toEqual([
      expect.stringContaining('routes[0].backends[1].url: is plain http: `tls` does nothing for it'),
      expect.stringContaining('routes[0].connection.tls.insecure: trusts any certificate'),
    ]);
  });
});

describe('connection.proxy', () => {
  const proxies = (...args: Parameters<typeof read>) =>
    Object.values(read(...args).upstreams)[0]!.backends.map(({ proxy }) => proxy);

  it('is the proxy of every backend', () => {
    expect(proxies({ proxy: 'http://p:3128' }, ['http://a', 'https://b'])).toEqual([
      'http://p:3128',
      'http://p:3128',
    ]);
  });

  it('is what the environment says for each backend', () => {
    const env = { http_proxy: 'p:1', HTTPS_PROXY: 'http://p:2', NO_PROXY: '.local' };
    expect(proxies({ proxy: 'environment' }, ['http://a', 'https://b', 'https://c.local'], env)).toEqual([
      'http://p:1',
      'http://p:2',
      undefined,
    ]);
  });

  it('asks no environment that it was not told to', () => {
    expect(proxies({}, ['http://a'], { http_proxy: 'http://p:1' })).toEqual([undefined]);
  });

  it('refuses a variable that names no http proxy, without showing it', () => {
    expect(issuesOf({ proxy: 'environment' }, ['https://a'], { https_proxy: 'socks5://u:hush@p' })).toEqual([
      'proxy: the variable https_proxy is not an absolute http url, expected an http url such as http://proxy:3128',
    ]);
  });

  it('is shown nowhere, as it may hold credentials', () => {
    const written = read({ proxy: 'http://u:hush@p' });
    const fromVariable = read({ proxy: 'environment' }, ['http://a'], { http_proxy: 'http://u:hush@p' });
    const shown = [written, fromVariable].map((config) => JSON.stringify(masked(config)));
    expect(shown.join()).not.toContain('hush');
    expect(shown[1]).toContain('${http_proxy}');
  });
});
