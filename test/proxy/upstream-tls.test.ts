import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

import {
  closeAtEnd,
  echoUpstream,
  listen,
  rawUpstream,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { tlsFile, tlsUpstream } from '../support/tls.js';

const CA = { ca_file: tlsFile('mutual-ca.crt') };
const OWN = { cert_file: tlsFile('client.crt'), key_file: tlsFile('client.key') };

const document = (url: string | string[], tls: object | null, more: object = {}): object => ({
  upstreams: {
    users: { backends: [url].flat().map((one) => ({ url: one })), connection: { tls }, ...more },
  },
  routes: [{ path: '/', upstream: 'users' }],
});

const fingerprint = (name: string): string => new X509Certificate(readFileSync(tlsFile(name))).fingerprint256;

const users = (options = {}) => tlsUpstream('users.crt', 'users.key', options);

describe('TLS towards a backend', () => {
  it('trusts the authority that it is told to trust, for the name that it is told', async () => {
    const upstream = await users();
    const url = `https://127.0.0.1:${upstream.port}`;
    const gateway = await startTestGateway(document(url, { ...CA, server_name: 'users.internal' }));
    const response = await gateway.get('/x');
    expect(response.json()).toMatchObject({
      url: '/x',
      host: `127.0.0.1:${upstream.port}`,
      servername: 'users.internal',
      client: null,
    });
  });

  it('takes an address as the name too, which is no name to ask for', async () => {
    const upstream = await tlsUpstream('localhost.crt', 'localhost.key');
    const url = `https://localhost:${upstream.port}`;
    const named = (server_name: string) =>
      startTestGateway(document(url, { ca_file: tlsFile('ca.crt'), server_name }));
    expect((await (await named('127.0.0.1')).get('/')).json()).toMatchObject({ servername: false });
    expect((await (await named('127.0.0.2')).get('/')).status).toBe(502);
  });

  it('reaches an IPv6 backend, whose certificate is for the address', async () => {
    const upstream = await tlsUpstream('localhost.crt', 'localhost.key', { host: '::1' });
    const gateway = await startTestGateway(
      document(`https://[::1]:${upstream.port}`, { ca_file: tlsFile('ca.crt') }),
    );
    expect((await gateway.get('/six')).json()).toMatchObject({ url: '/six', servername: false });
  });

  it.each([
    ['another authority', 'localhost.crt', 'localhost.key', CA, /unable to verify|self-signed|issuer/],
    ['the system’s authorities', 'users.crt', 'users.key', {}, /unable to verify|self-signed|issuer/],
    ['another name', 'users.crt', 'users.key', CA, /altnames/],
    ['an expired certificate', 'expired.crt', 'users.key', CA, /TLS failed: certificate has expired/],
  ])('fails with %s: nothing is sent, and the next backend is tried', async (_, cert, key, tls, err) => {
    const bad = await tlsUpstream(cert, key);
    const good = await echoUpstream();
    const gateway = await startTestGateway(document([`https://localhost:${bad.port}`, good.url], tls));
    const response = await gateway.request('/x', { method: 'POST', body: 'once' });
    expect(response.status).toBe(200);
    expect(bad.requests).toEqual([]);
    const line = await gateway.logged('upstream request failed', { reason: 'upstream_unavailable' });
    expect(line['err']).toMatch(/^TLS failed: /);
    expect(line['err']).toMatch(err);
  });

  it('answers 502 without a word of it when there is no other backend', async () => {
    const { port } = await tlsUpstream('expired.crt', 'users.key');
    const gateway = await startTestGateway(document(`https://localhost:${port}`, CA));
    const response = await gateway.get('/');
    expect([response.status, response.json()['code']]).toEqual([502, 'upstream_unavailable']);
    expect(response.text).not.toMatch(/certificate|TLS|expired/);
  });

  it('trusts anybody when it is told to', async () => {
    const { port } = await tlsUpstream('expired.crt', 'users.key');
    const gateway = await startTestGateway(document(`https://127.0.0.1:${port}`, { insecure: true }));
    expect((await gateway.get('/any')).json()).toMatchObject({ url: '/any' });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('resumes its last session (%s)', async (version) => {
    const upstream = await users({
      minVersion: version,
      maxVersion: version,
      respond: (_request: unknown, response: ServerResponse) => {
        response.setHeader('connection', 'close').end('ok');
      },
    });
    const tls = { ...CA, server_name: 'users.internal' };
    const gateway = await startTestGateway(document(`https://127.0.0.1:${upstream.port}`, tls));
    expect((await gateway.get('/')).status).toBe(200);
    expect((await gateway.get('/')).status).toBe(200);
    expect([upstream.handshakes, upstream.resumed]).toEqual([2, 1]);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'never resumes one that it did not trust (%s)',
    async (version) => {
      const upstream = await users({ minVersion: version, maxVersion: version });
      const gateway = await startTestGateway(document(`https://localhost:${upstream.port}`, CA));
      expect((await gateway.get('/')).status).toBe(502);
      expect((await gateway.get('/')).status).toBe(502);
      expect([upstream.resumed, upstream.requests]).toEqual([0, []]);
    },
  );

  it('is verified for the backend, whatever Host the client sends, on one connection', async () => {
    const upstream = await users();
    const tls = { ...CA, server_name: 'users.internal' };
    const gateway = await startTestGateway(
      document(`https://127.0.0.1:${upstream.port}`, tls, { host_header: 'preserve' }),
    );
    for (const host of ['a.example', 'b.example', 'users.internal']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point.
      const response = await gateway.get('/', { headers: { host } });
      expect(response.json()).toMatchObject({ host, servername: 'users.internal' });
    }
    expect(upstream.handshakes).toBe(1);
  });
});

describe('the gateway’s own certificate', () => {
  const mutual = (options = {}) => users({ clients: 'mutual-ca.crt', ...options });
  const settings = { ...CA, server_name: 'users.internal' };

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is shown to a backend that asks for it (%s)', async (version) => {
    const { port } = await mutual({ minVersion: version, maxVersion: version });
    const gateway = await startTestGateway(document(`https://127.0.0.1:${port}`, { ...settings, ...OWN }));
    expect((await gateway.get('/')).json()).toMatchObject({ client: fingerprint('client.crt') });
  });

  it('is missed by a backend that asks for it: the request never reaches it', async () => {
    const upstream = await mutual({ maxVersion: 'TLSv1.2' });
    const good = await echoUpstream();
    const urls = [`https://127.0.0.1:${upstream.port}`, good.url];
    const gateway = await startTestGateway(document(urls, settings));
    expect((await gateway.request('/', { method: 'POST', body: 'x' })).status).toBe(200);
    expect(upstream.requests).toEqual([]);
    expect((await gateway.logged('upstream request failed'))['err']).toMatch(
      /^TLS failed: .*alert.* \(ERR_SSL_[\w/]+\)$/,
    );
  });

  it('in TLS 1.3, where the backend refuses after the handshake, too', async () => {
    const upstream = await mutual({ minVersion: 'TLSv1.3' });
    const gateway = await startTestGateway(document(`https://127.0.0.1:${upstream.port}`, settings));
    const response = await gateway.get('/');
    expect([response.status, response.json()['code']]).toEqual([502, 'upstream_unavailable']);
    expect(upstream.requests).toEqual([]);
  });

  it('is read anew at a reload: new sockets, the same state', async () => {
    const upstream = await mutual();
    const folder = mkdtempSync(join(tmpdir(), 'nexus-own-'));
    closeAtEnd(() => rmSync(folder, { recursive: true }));
    const own = { cert_file: join(folder, 'own.crt'), key_file: join(folder, 'own.key') };
    const use = (name: string): void => {
      copyFileSync(tlsFile(`${name}.crt`), own.cert_file);
      copyFileSync(tlsFile(`${name}.key`), own.key_file);
    };
    use('client');
    const written = document(`https://127.0.0.1:${upstream.port}`, { ...settings, ...own });
    const gateway = await startTestGateway(written);
    const client = async (): Promise<unknown> => (await gateway.get('/')).json()['client'];
    expect(await client()).toBe(fingerprint('client.crt'));

    expect(await gateway.reload(written)).toBe(true);
    expect(await client()).toBe(fingerprint('client.crt'));
    expect(upstream.handshakes).toBe(1);

    use('client-new');
    expect(await gateway.reload(written)).toBe(true);
    expect(await client()).toBe(fingerprint('client-new.crt'));
    expect(upstream.handshakes).toBe(2);

    writeFileSync(own.key_file, readFileSync(tlsFile('users.key')));
    expect(await gateway.reload(written)).toBe(false);
    const line = await gateway.logged('config reload failed');
    expect(JSON.stringify(line)).toMatch(
      /users\.connection\.tls\.key_file.*own\.key.*does not belong to cert_file/,
    );
    expect(await client()).toBe(fingerprint('client-new.crt'));
  });

  it('leaves no secret in the log', async () => {
    const { port } = await mutual();
    const gateway = await startTestGateway(
      document(`https://127.0.0.1:${port}`, { ...settings, ...OWN }, {}),
    );
    await gateway.get('/');
    expect(gateway.rawLogs.join('\n')).not.toMatch(/PRIVATE KEY/);
  });
});

describe('connect_timeout', () => {
  it('holds for a backend that takes the connection and never answers the ClientHello', async () => {
    const silent = await rawUpstream(() => {});
    const good = await echoUpstream();
    const gateway = await startTestGateway({
      routes: [
        {
          path: '/',
          backends: [{ url: `https://127.0.0.1:${silent.port}` }, { url: good.url }],
          connection: { connect_timeout: '250ms' },
        },
      ],
    });
    const begun = performance.now();
    expect((await gateway.get('/')).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(249);
    await gateway.logged('upstream request failed', {
      reason: 'upstream_timeout',
      err: 'connect timeout: the TLS handshake',
    });
    await waitFor(() => silent.connections[0]!.closed, 'its socket closes');
  });
});

describe('the same settings', () => {
  const tls = { ...CA, ...OWN, server_name: 'users.internal' };

  it('are the probes’', async () => {
    const probed: (string | undefined)[] = [];
    const upstream = await users({
      clients: 'mutual-ca.crt',
      respond: (request: { url?: string }, response: { end(): void }) => {
        probed.push(request.url);
        response.end();
      },
    });
    const check = { path: '/health', interval: '1h', healthy_threshold: 1, unhealthy_threshold: 1 };
    const url = `https://127.0.0.1:${upstream.port}`;
    const gateway = await startTestGateway(document(url, tls, { health_check: check }));
    await waitFor(() => probed.length > 0, 'a probe');
    const distrusting = await startTestGateway(document(url, CA, { health_check: check }));
    const line = await distrusting.logged('backend became unhealthy');
    expect(JSON.stringify(line)).toMatch(/TLS failed: .*altnames/);
    expect(probed).toEqual(['/health']);
    expect(gateway.logsWith('backend became unhealthy')).toEqual([]);
  });

  it('are the WebSockets’', async () => {
    const server = createServer({
      cert: readFileSync(tlsFile('users.crt')),
      key: readFileSync(tlsFile('users.key')),
      ca: readFileSync(tlsFile('mutual-ca.crt')),
      requestCert: true,
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) =>
      socket.on('message', (data) => socket.send(`heard ${(data as Buffer).toString()}`)),
    );
    const port = await listen(server);
    closeAtEnd(() => {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets.clients) socket.terminate();
    });
    const gateway = await startTestGateway(document(`https://127.0.0.1:${port}`, tls));
    const client = new WebSocket(gateway.url.replace('http', 'ws'));
    closeAtEnd(() => client.terminate());
    const heard: string[] = [];
    client.on('open', () => client.send('you'));
    client.on('message', (data) => heard.push((data as Buffer).toString()));
    await waitFor(() => heard.length > 0, 'an answer');
    expect(heard).toEqual(['heard you']);
  });
});
