import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { hide } from '../config/secrets.js';
import { TlsConfig } from '../config/server.config.js';
import type { Log } from '../exchange/event-log.js';
import { RenewingCertificate, type RenewalTimes } from './renewing-certificate.js';
import { readMaterial, type TlsMaterial } from './tls-material.js';

const FIXTURES = 'test/fixtures/tls';
/** Signs of change are what counts; a look at the files comes in an hour. */
const TIMES: RenewalTimes = { settleMs: 5, pollMs: 3_600_000, patienceMs: 60 };

function folderOf(fixture: string) {
  const path = mkdtempSync(join(tmpdir(), 'nexus-renewal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const put = (file: string, from: string): void => copyFileSync(join(FIXTURES, from), join(path, file));
  put('tls.crt', `${fixture}.crt`);
  put('tls.key', `${fixture}.key`);
  const files = { cert_file: join(path, 'tls.crt'), key_file: join(path, 'tls.key') };
  return { path, put, config: Object.assign(new TlsConfig(), files) };
}

function watched(config: TlsConfig, times: Partial<RenewalTimes> = {}) {
  const lines: [string, object, string][] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push([level, fields, message]);
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const certificate = new RenewingCertificate('data', config, { ...TIMES, ...times });
  const renewed: TlsMaterial[] = [];
  certificate.renewed = (material) => renewed.push(material);
  certificate.watch(log);
  onTestFinished(() => certificate.close());
  return { certificate, lines, renewed };
}

describe('a certificate that renews itself', () => {
  it('tells what is wrong with its first files', () => {
    const { config } = folderOf('localhost');
    config.key_file = join(FIXTURES, 'users.key');
    expect(() => new RenewingCertificate('admin', config)).toThrow(
      /^TLS on the admin port: key_file: ".*users\.key" does not belong to cert_file/,
    );
  });

  it('takes what changed between reading and watching', async () => {
    const { config, put } = folderOf('localhost');
    const certificate = new RenewingCertificate('data', config, TIMES);
    onTestFinished(() => certificate.close());
    const renewed = vi.fn<(material: TlsMaterial) => void>();
    certificate.renewed = renewed;
    put('tls.crt', 'rsa-chain.crt');
    put('tls.key', 'rsa-chain.key');
    certificate.watch({ debug: () => {}, info: () => {}, warn: () => {}, error: () => {} });
    await vi.waitFor(() => expect(renewed).toHaveBeenCalledOnce());
    expect(certificate.material).toEqual(readMaterial(config));
  });

  it('waits for the second of two files, and tells of one renewal', async () => {
    const { config, put } = folderOf('localhost');
    const { certificate, lines, renewed } = watched(config, { patienceMs: 60_000 });
    const before = certificate.material;
    put('tls.key', 'rsa-chain.key');
    // A file that has nothing to do with it.
    put('other.txt', 'README.md');
    put('tls.crt', 'rsa-chain.crt');
    await vi.waitFor(() => expect(renewed).toHaveLength(1));
    expect(certificate.material.digest).not.toBe(before.digest);
    expect(lines.map(([level, , message]) => [level, message])).toEqual([['info', 'certificate renewed']]);
  });

  it('tells of each fault once, however often the files change with it', async () => {
    const { config, put } = folderOf('localhost');
    const { certificate, lines, renewed } = watched(config);
    const before = certificate.material;
    for (let round = 0; round < 3; round++) {
      put('tls.key', 'users.key');
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      await vi.waitFor(() => expect(lines).toHaveLength(1));
    }
    expect(lines[0]![0]).toBe('error');
    expect(certificate.material).toBe(before);
    // The files that are in force are nothing new, but the fault is over: the next one is told.
    put('tls.key', 'localhost.key');
    await vi.waitFor(() => {
      writeFileSync(config.key_file, 'nothing');
      expect(lines).toHaveLength(2);
    });
    expect(renewed).toEqual([]);
  });

  it('finds out by looking where no sign comes', async () => {
    const { path, config } = folderOf('localhost');
    const elsewhere = folderOf('localhost');
    // The directory that is watched stays as it is: what changes is what a link in it leads to.
    mkdirSync(join(path, 'links'));
    for (const end of ['crt', 'key'])
      symlinkSync(join(elsewhere.path, `tls.${end}`), join(path, 'links', `tls.${end}`));
    config.cert_file = join(path, 'links', 'tls.crt');
    config.key_file = join(path, 'links', 'tls.key');
    const { renewed } = watched(config, { pollMs: 20 });
    elsewhere.put('tls.crt', 'rsa-chain.crt');
    elsewhere.put('tls.key', 'rsa-chain.key');
    await vi.waitFor(() => expect(renewed).toHaveLength(1), 3_000);
  });

  it('follows a directory that was replaced itself', async () => {
    const one = folderOf('localhost');
    const two = folderOf('rsa-chain');
    const three = folderOf('localhost');
    const link = `${one.path}-link`;
    onTestFinished(() => rmSync(link));
    const point = (to: string): void => {
      symlinkSync(to, `${link}-next`);
      renameSync(`${link}-next`, link);
    };
    point(one.path);
    one.config.cert_file = join(link, 'tls.crt');
    one.config.key_file = join(link, 'tls.key');
    const { renewed } = watched(one.config, { pollMs: 20 });
    point(two.path);
    await vi.waitFor(() => expect(renewed).toHaveLength(1), 3_000);
    point(three.path);
    await vi.waitFor(() => expect(renewed).toHaveLength(2), 3_000);
  });

  it('shows no name that came from a reference', async () => {
    const { config, put } = folderOf('localhost');
    hide(config, 'cert_file', '${CERT}');
    const { lines } = watched(config);
    put('tls.crt', 'rsa-chain.crt');
    put('tls.key', 'rsa-chain.key');
    await vi.waitFor(() => expect(lines.at(-1)?.[1]).toMatchObject({ cert_file: '${CERT}' }));
  });
});
