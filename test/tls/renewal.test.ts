import { X509Certificate } from 'node:crypto';
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

import { describe, expect, it } from 'vitest';

import { closeAtEnd, echoUpstream, type TestGateway, waitFor } from '../support/index.js';
import { tlsFile } from '../support/tls.js';
import { CertificateFolder, connectTls, document, pem, tlsGateway } from './support.js';

const GET = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';
const print = (name: string): string => new X509Certificate(pem(name)).fingerprint256;
const OLD = print('localhost.crt');
const NEW = print('rsa-chain.crt');

async function shown(gateway: TestGateway): Promise<string> {
  return (await connectTls(gateway.port, { checkServerIdentity: () => undefined })).shown;
}

async function setUp() {
  const folder = new CertificateFolder('localhost');
  const upstream = await echoUpstream();
  const gateway = await tlsGateway(folder.tls, upstream);
  expect(await shown(gateway)).toBe(OLD);
  return { folder, upstream, gateway };
}

describe('a certificate is renewed without a restart', () => {
  it('when its files are replaced one after the other; connections live on', async () => {
    const { folder, gateway } = await setUp();
    const standing = await connectTls(gateway.port);
    await standing.write(GET);
    await standing.response();
    const session = await waitFor(() => standing.session, 'a session');

    folder.put('tls.crt', 'rsa-chain.crt');
    // As long as the key is that of the old one, that one stays.
    expect(await shown(gateway)).toBe(OLD);
    folder.put('tls.key', 'rsa-chain.key');
    const line = await gateway.logged('certificate renewed');
    expect(line).toMatchObject({
      level: 'INFO',
      listener: 'data',
      cert_file: folder.tls.cert_file,
      expires: new X509Certificate(pem('rsa-chain.crt')).validToDate.toISOString(),
    });
    expect(await shown(gateway)).toBe(NEW);

    await standing.write(GET);
    expect((await standing.response(1)).status).toBe(200);
    // A ticket from before costs a full handshake and nothing else.
    const resuming = await connectTls(gateway.port, { session });
    expect([resuming.tls.isSessionReused(), resuming.shown]).toEqual([false, NEW]);
    expect(gateway.logsWith('certificate renewed')).toHaveLength(1);
    expect(gateway.logsWith('certificate renewal failed')).toEqual([]);
  });

  it('when a link to the directory of both is set anew, as Kubernetes does', async () => {
    const root = mkdtempSync(join(tmpdir(), 'nexus-tls-'));
    closeAtEnd(() => rmSync(root, { recursive: true }));
    const volume = (name: string, fixture: string): void => {
      mkdirSync(join(root, name));
      for (const end of ['crt', 'key'])
        copyFileSync(tlsFile(`${fixture}.${end}`), join(root, name, `tls.${end}`));
      symlinkSync(name, join(root, '..data_tmp'));
      renameSync(join(root, '..data_tmp'), join(root, '..data'));
    };
    volume('..one', 'localhost');
    for (const end of ['crt', 'key']) symlinkSync(join('..data', `tls.${end}`), join(root, `tls.${end}`));
    const tls = { cert_file: join(root, 'tls.crt'), key_file: join(root, 'tls.key') };
    const gateway = await tlsGateway(tls, await echoUpstream());
    expect(await shown(gateway)).toBe(OLD);
    volume('..two', 'rsa-chain');
    rmSync(join(root, '..one'), { recursive: true });
    await gateway.logged('certificate renewed');
    expect(await shown(gateway)).toBe(NEW);
  });

  it('by a reload, which waits for nothing', async () => {
    const { upstream, gateway } = await setUp();
    const other = { cert_file: tlsFile('rsa-chain.crt'), key_file: tlsFile('rsa-chain.key') };
    expect(await gateway.reload(document(other, upstream))).toBe(true);
    expect(await shown(gateway)).toBe(NEW);
    expect(gateway.logsWith('certificate renewed')).toHaveLength(1);
  });
});

describe('files that do not hold', () => {
  it('leave the certificate in force, are told once, and do not stand in the way of the next', async () => {
    const { folder, gateway } = await setUp();
    folder.put('tls.crt', 'other.crt');
    writeFileSync(folder.tls.key_file, 'hush-hush');
    const line = await gateway.logged('certificate renewal failed');
    expect(line).toMatchObject({ level: 'ERROR', listener: 'data', cert_file: folder.tls.cert_file });
    expect(line['err']).toMatch(/^key_file: ".*tls\.key" holds no private key, expected one in PEM$/);
    expect(gateway.rawLogs.join('\n')).not.toContain('hush');
    expect(await shown(gateway)).toBe(OLD);

    rmSync(folder.tls.key_file);
    await waitFor(() => gateway.logsWith('certificate renewal failed').length === 2, 'the other fault');
    expect(gateway.logsWith('certificate renewal failed')[1]!['err']).toContain('cannot be read (ENOENT)');
    folder.put('tls.key', 'localhost.key');
    await gateway.logged('certificate renewed');
    expect(await shown(gateway)).toBe(print('other.crt'));
    expect(gateway.logsWith('certificate renewal failed')).toHaveLength(2);
  });

  it('are the fault of a document that names them', async () => {
    const { folder, upstream, gateway } = await setUp();
    folder.put('tls.key', 'users.key');
    expect(await gateway.reload(document(folder.tls, upstream))).toBe(false);
    const [line] = gateway.logsWith('config reload failed');
    expect(String(line!['errors'])).toMatch(/server\.tls\.key_file: ".*" does not belong to cert_file/);
    expect(await shown(gateway)).toBe(OLD);
  });
});
