import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';

import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import {
  closeAtEnd,
  connectRaw,
  echoedHeader,
  echoUpstream,
  type EchoUpstream,
  freePort,
  listen,
  rawUpstream,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { Peer, wsUpstream } from '../websocket/support.js';
import { AUTHORITIES, connectTls, document, EC, pem, RSA, tlsAgent, tlsGateway } from './support.js';
import { httpsRequest } from './https-request.js';

const GET = 'GET /a HTTP/1.1\r\nHost: gw.example\r\n\r\n';

describe('TLS on the data port', () => {
  it.each([
    ['an EC certificate', EC, 'ca.crt'],
    ['an RSA certificate with its chain', RSA, 'chain-ca.crt'],
  ])('serves with %s, and tells the upstream', async (_name, tls, authority) => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(tls, upstream);
    expect(gateway.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const response = await httpsRequest(`${gateway.url}/a?b=c`, { agent: tlsAgent({ ca: pem(authority) }) });
    expect([response.status, response.header('x-gateway-proxy')]).toEqual([200, 'nexus-gateway']);
    expect(upstream.last!.url).toBe('/a?b=c');
    expect(header(upstream, 'x-forwarded-proto')).toBe('https');
    expect(header(upstream, 'x-forwarded-port')).toBe(String(gateway.port));
    expect(header(upstream, 'x-client-cert-subject')).toBeUndefined();
  });

  it('passes bodies both ways, and keeps the connection', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(EC, upstream);
    const agent = tlsAgent();
    const body = Buffer.alloc(3_000_000, 'x');
    for (let round = 0; round < 3; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other over one connection.
      const response = await httpsRequest(`${gateway.url}/up`, { method: 'POST', body, agent });
      expect(response.json()).toMatchObject({ bodyBytes: body.length });
    }
    expect(await connections(gateway.url, agent)).toBe(1);
  });

  it('offers HTTP/1.1 alone by ALPN, and takes clients that ask for nothing', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const both = await connectTls(gateway.port, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(both.tls.alpnProtocol).toBe('http/1.1');
    const none = await connectTls(gateway.port);
    expect(none.tls.alpnProtocol).toBe(false);
    await expect(connectTls(gateway.port, { ALPNProtocols: ['h2'] })).rejects.toThrow(
      /no.application.protocol/i,
    );
  });

  it('shows its one certificate whatever name is asked for', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const client = await connectTls(gateway.port, {
      servername: 'other.example',
      checkServerIdentity: () => undefined,
    });
    await client.write(GET);
    expect((await client.response()).status).toBe(200);
  });

  it('speaks no version below min_version', async () => {
    const gateway = await tlsGateway({ ...EC, min_version: 'TLSv1.3' }, await echoUpstream());
    await expect(connectTls(gateway.port, { maxVersion: 'TLSv1.2' })).rejects.toThrow(/version|alert/i);
    expect((await connectTls(gateway.port)).tls.getProtocol()).toBe('TLSv1.3');
    const usual = await tlsGateway(EC, await echoUpstream());
    expect((await connectTls(usual.port, { maxVersion: 'TLSv1.2' })).tls.getProtocol()).toBe('TLSv1.2');
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(connectTls(usual.port, old)).rejects.toThrow(/version|alert/i);
  });

  it('renegotiates with nobody', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const client = await connectTls(gateway.port, { maxVersion: 'TLSv1.2' });
    const error = await new Promise<Error | null>((resolve) => {
      client.tls.renegotiate({}, resolve);
      client.tls.once('error', resolve);
    });
    expect(String(error)).toMatch(/no renegotiation/i);
    expect(constants.SSL_OP_NO_RENEGOTIATION).toBeGreaterThan(0);
  });

  it('refuses what is no HTTP inside TLS as on a plain port', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const malformed = await connectTls(gateway.port);
    await malformed.write('GET /a HTTP/1.1\r\nHost: h\r\nX A: b\r\n\r\n');
    const bad = await malformed.response();
    expect([bad.status, bad.header('content-type')]).toEqual([400, 'application/problem+json']);
    await malformed.untilEnded();
    const tunnel = await connectTls(gateway.port);
    await tunnel.write('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n');
    expect((await tunnel.response()).status).toBe(501);
    await tunnel.untilEnded();
  });

  it('passes WebSockets', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      server: { tls: EC },
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const peer = new Peer(new WebSocket(`wss://127.0.0.1:${gateway.port}/chat`, { ca: AUTHORITIES }));
    await waitFor(() => peer.socket.readyState === WebSocket.OPEN, 'open');
    peer.send('hello');
    expect(await peer.message()).toBe('hello');
    expect(upstream.last!.headers).toMatchObject({ 'x-forwarded-proto': 'https' });
    peer.socket.close(1000);
    expect(await peer.untilClosed()).toMatchObject({ code: 1000 });
    await waitFor(() => gateway.running.control.status().then((status) => status.in_flight === 0), 'ended');
  });

  it('cuts a transfer that its upstream broke off', async () => {
    const upstream = await rawUpstream((connection) => connection.write('HTTP/1.1 200 OK\r\n\r\nhalf'));
    const gateway = await startTestGateway({
      server: { tls: EC },
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const client = await connectTls(gateway.port);
    await client.write('GET /a HTTP/1.0\r\n\r\n');
    await client.until(() => client.text.endsWith('half'), 'half of it');
    upstream.connections[0]!.reset();
    await client.untilClosed();
    // Without chunks or a length only a reset tells the client; a clean end of TLS would be a whole answer.
    expect(client.error).toMatchObject({ code: 'ECONNRESET' });
    await gateway.logged('request completed', { reason: 'upstream_aborted' });
    expect(gateway.logsWith('internal error')).toEqual([]);
  });
});

describe('a stop', () => {
  it('ends idle connections, finishes what is under way, and takes leave', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(EC, upstream);
    const idle = await connectTls(gateway.port);
    const busy = await connectTls(gateway.port);
    upstream.delayMs = 200;
    await busy.write(GET);
    await waitFor(() => upstream.started === 1, 'the request under way');
    const stopped = gateway.stop();
    await idle.untilClosed();
    const response = await busy.response();
    expect([response.status, response.header('connection')]).toEqual([200, 'close']);
    await busy.untilClosed();
    await stopped;
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ drained: 1, cut: 0 });
  });
});

describe('handshakes that come to nothing', () => {
  it('are counted, told at debug, and harm nobody', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const agent = tlsAgent();
    const plain = await connectRaw(gateway.port);
    const { localPort } = plain.socket;
    await plain.write(GET);
    await plain.untilClosed();
    const garbage = await connectRaw(gateway.port);
    await garbage.write(Buffer.from('\x16\x03\x01\xff\xff' + 'x'.repeat(600), 'latin1'));
    await garbage.untilClosed();
    const gone = await connectRaw(gateway.port);
    gone.reset();
    await connectTls(gateway.port, { ALPNProtocols: ['h2'] }).catch(() => {});
    await gateway.logged('TLS handshake failed', { err: 'ERR_SSL_HTTP_REQUEST', listener: 'data' });
    await waitFor(() => gateway.logsWith('TLS handshake failed').length === 4, 'four lines');
    expect(gateway.logsWith('TLS handshake failed')[0]).toMatchObject({
      level: 'DEBUG',
      remote_addr: `127.0.0.1:${localPort}`,
    });
    const metrics = (await httpsRequest(`${gateway.url}/metrics`, { agent })).text;
    expect(metrics).toContain('\ngateway_tls_handshake_failures_total 4\n');
    expect(metrics).toContain('\ngateway_active_connections 1\n');
    expect(gateway.logsWith('request completed', { path: '/a' })).toEqual([]);
  });

  it('do no harm, wherever they break', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const hello = await clientHello();
    const cases = Array.from({ length: 60 }, (_, at) => {
      const bytes = Buffer.from(hello.subarray(0, Math.ceil((hello.length * (at + 1)) / 60)));
      // Some are cut short, the others have a byte changed.
      if (at % 2 === 1) bytes[(at * 31) % bytes.length]! ^= 0xff;
      return bytes;
    });
    await Promise.all(
      cases.map(async (bytes) => {
        const client = await connectRaw(gateway.port);
        await client.write(bytes);
        client.end();
        await client.untilClosed();
      }),
    );
    const agent = tlsAgent();
    expect((await httpsRequest(`${gateway.url}/a`, { agent })).status).toBe(200);
    await waitFor(async () => (await connections(gateway.url, agent)) === 1, 'all others closed');
    expect(gateway.logsWith('internal error')).toEqual([]);
  });

  it('end after header_timeout', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream(), { server: { header_timeout: '150ms' } });
    const silent = await connectRaw(gateway.port);
    await gateway.logged('TLS handshake failed', { err: 'ERR_TLS_HANDSHAKE_TIMEOUT' });
    await silent.untilClosed();
    // One that shook hands and then says nothing is like any other.
    const secured = await connectTls(gateway.port);
    expect((await secured.response()).status).toBe(408);
  });

  it('do not hold up a stop', async () => {
    const gateway = await tlsGateway(EC, await echoUpstream());
    const silent = await connectRaw(gateway.port);
    const half = await connectRaw(gateway.port, { allowHalfOpen: true });
    await half.write(Buffer.from([0x16, 0x03, 0x01]));
    half.end();
    await gateway.stop();
    expect(await silent.untilClosed()).toBe(true);
  });
});

describe('the admin port', () => {
  it('speaks TLS of its own', async () => {
    const upstream = await echoUpstream();
    const tls = { ...RSA, client_auth: 'none' };
    const gateway = await startTestGateway(
      { admin: { tls, port: await freePort() }, routes: [{ path: '/', backends: [upstream.backend] }] },
      { admin: true },
    );
    expect([gateway.adminUrl.slice(0, 8), gateway.url.slice(0, 7)]).toEqual(['https://', 'http://']);
    const agent = tlsAgent({ ca: pem('chain-ca.crt') });
    const status = await httpsRequest(`${gateway.adminUrl}/api/config/status`, { agent });
    expect(status.json()).toMatchObject({ config_version: 1 });
    expect((await gateway.get('/a')).status).toBe(200);
  });

  it('refuses a restart-only change by a reload', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(EC, upstream);
    const { server: _server, ...plain } = document(EC, upstream) as { server: object };
    expect(await gateway.reload(plain)).toBe(false);
    expect(String(gateway.logsWith('config reload failed')[0]!['errors'])).toContain('server.tls');
    expect((await httpsRequest(`${gateway.url}/a`, { agent: tlsAgent() })).status).toBe(200);
  });
});

/** The first bytes of a client of TLS. */
async function clientHello(): Promise<Buffer> {
  const server = createServer();
  const port = await listen(server);
  closeAtEnd(() => server.close());
  const accepted = once(server, 'connection');
  const client = connect({ port, host: '127.0.0.1' }).on('error', () => {});
  const [socket] = (await accepted) as [Socket];
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  return bytes;
}

function header(upstream: EchoUpstream, name: string): string | undefined {
  return echoedHeader(upstream.last!, name)[0];
}

async function connections(url: string, agent: ReturnType<typeof tlsAgent>): Promise<number> {
  const { text } = await httpsRequest(`${url}/metrics`, { agent });
  return Number(/^gateway_active_connections (\d+)$/m.exec(text)?.[1]);
}
