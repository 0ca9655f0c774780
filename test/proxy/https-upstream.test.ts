import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { type CliProcess, ROOT, spawnCli } from '../support/cli.js';
import { closeAtEnd, echoUpstream, freePort, get, listen } from '../support/index.js';

const TLS = `${ROOT}test/fixtures/tls/`;
const KEY = readFileSync(`${TLS}localhost.key`);

/** An https server that answers with what it was asked, and with the name that the client asked TLS for. */
async function secureUpstream(certificate: string): Promise<number> {
  const server = createServer({ key: KEY, cert: readFileSync(TLS + certificate) }, (request, response) => {
    const { servername } = request.socket as { servername?: string | false };
    response.end(JSON.stringify({ url: request.url, host: request.headers.host, servername }));
  });
  server.on('tlsClientError', () => {});
  const port = await listen(server);
  closeAtEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return port;
}

/** A gateway process with one route for each of these backends, by the name of the route. */
async function serve(backends: Record<string, string>, env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'nexus-tls-'));
  closeAtEnd(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const routes = Object.entries(backends).map(([name, url]) => ({
    path: `/${name}`,
    strip_prefix: true,
    backends: [{ url }],
  }));
  const file = join(folder, 'gateway.json');
  writeFileSync(
    file,
    JSON.stringify({ server: { host: '127.0.0.1', port }, admin: { enabled: false }, routes }),
  );
  const gateway = await spawnCli(['serve', '--config', file], { env });
  await gateway.logs.until('server listening', {}, { timeoutMs: 20_000 });
  return { gateway, url: `http://127.0.0.1:${port}` };
}

describe('an https backend', () => {
  let gateway: CliProcess;
  let url: string;
  let port: number;
  let distrusting: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    port = await secureUpstream('localhost.crt');
    const stranger = await secureUpstream('other.crt');
    const plain = await echoUpstream();
    const backends = {
      name: `https://localhost:${port}/base`,
      address: `https://127.0.0.1:${port}`,
      stranger: `https://localhost:${stranger}`,
      plain: plain.url.replace('http', 'https'),
    };
    ({ gateway, url } = await serve(backends, { NODE_EXTRA_CA_CERTS: `${TLS}ca.crt` }));
    distrusting = await serve(backends, { NODE_EXTRA_CA_CERTS: '' });
  });

  it('is served when its certificate is signed by a trusted authority', async () => {
    const response = await get(`${url}/name/x%2Fy?z=1`);
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({
      url: '/base/x%2Fy?z=1',
      host: `localhost:${port}`,
      servername: 'localhost',
    });
  });

  it('under an address too, which is no name to ask for', async () => {
    const response = await get(`${url}/address/x`);
    expect(response.json()).toEqual({ url: '/x', host: `127.0.0.1:${port}`, servername: false });
  });

  it('is not when nobody trusted has signed it: 502, and the log says why', async () => {
    const response = await get(`${distrusting.url}/name/x`);
    expect([response.status, response.json()['code']]).toEqual([502, 'upstream_unavailable']);
    expect(response.text).not.toMatch(/certificate|localhost/);
    const line = await distrusting.gateway.logs.until('upstream request failed');
    expect(line['err']).toMatch(/certificate|signed/);
  });

  it('is not when the certificate is another’s', async () => {
    expect((await get(`${url}/stranger`)).status).toBe(502);
    const line = await gateway.logs.until('upstream request failed', { path: '/stranger' });
    expect(line['err']).toMatch(/altnames|does not match/);
  });

  it('is not when it speaks no TLS', async () => {
    expect((await get(`${url}/plain`)).status).toBe(502);
    expect((await get(`${url}/name/again`)).status).toBe(200);
  });
});
