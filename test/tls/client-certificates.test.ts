import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from 'node:tls';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import {
  echoedHeader,
  echoUpstream,
  type EchoUpstream,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { Peer, wsUpstream } from '../websocket/support.js';
import { httpsRequest } from './https-request.js';
import {
  AUTHORITIES,
  CLIENT,
  connectTls,
  document,
  EC,
  mutual,
  pem,
  STRANGER,
  tlsAgent,
  tlsGateway,
} from './support.js';

const CERTIFIED = fileURLToPath(new URL('certified.guard.ts', import.meta.url));
const GET = 'GET /a HTTP/1.1\r\nHost: h\r\n\r\n';

/** What an upstream is to be told of a certificate. */
const fingerprint = (cert: Buffer): string =>
  new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();

function told(upstream: EchoUpstream): (string[] | undefined)[] {
  return ['x-client-cert-subject', 'x-client-cert-fingerprint'].map((name) =>
    echoedHeader(upstream.last!, name),
  );
}

/** All that a client gets; in TLS 1.3 it may write before it hears that it is refused. */
async function answerTo(port: number, options: ConnectionOptions): Promise<string> {
  const client = await connectTls(port, options).catch(() => null);
  await client?.write(GET);
  await client?.untilClosed();
  return client?.text ?? '';
}

describe('client_auth: require', () => {
  it('lets those in whose certificate an authority signed, and tells the upstream', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('require'), upstream);
    const response = await httpsRequest(`${gateway.url}/a`, {
      agent: tlsAgent(CLIENT),
      headers: {
        'X-Client-Cert-Subject': 'CN=admin',
        x_client_cert_fingerprint: 'f'.repeat(64),
        'x-client-cert-issuer': 'CN=me',
      },
    });
    expect(response.status).toBe(200);
    expect(told(upstream)).toEqual([['CN=gateway'], [fingerprint(CLIENT.cert)]]);
    expect(JSON.stringify(upstream.last!.rawHeaders)).not.toMatch(/admin|ffffff|CN=me/);
  });

  it.each([
    ['TLSv1.2', {}],
    ['TLSv1.3', {}],
    ['TLSv1.2', STRANGER],
    ['TLSv1.3', STRANGER],
  ] as const)('reads no request of anybody else (%s, %#)', async (version, client) => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('require'), upstream);
    const options = { minVersion: version, maxVersion: version, ...client };
    expect(await answerTo(gateway.port, options)).toBe('');
    await gateway.logged('TLS handshake failed');
    expect(upstream.started).toBe(0);
    expect(gateway.logsWith('request completed')).toEqual([]);
  });

  it('asks again whoever resumes a session, and knows the certificate of it', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('require'), upstream);
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      /* oxlint-disable no-await-in-loop -- one version after the other. */
      const first = await connectTls(gateway.port, { ...CLIENT, maxVersion });
      await first.write(GET);
      await first.response();
      const session = await waitFor(() => first.session ?? first.tls.getSession(), 'a session');
      const second = await connectTls(gateway.port, { maxVersion, session });
      expect(second.tls.isSessionReused()).toBe(true);
      await second.write(GET);
      expect((await second.response()).status).toBe(200);
      expect(told(upstream)[1]).toEqual([fingerprint(CLIENT.cert)]);
      /* oxlint-enable no-await-in-loop */
    }
  });

  it('holds for the admin port too', async () => {
    const upstream = await echoUpstream();
    const gateway = await startTestGateway(
      { admin: { tls: mutual('require') }, routes: [{ path: '/', backends: [upstream.backend] }] },
      { admin: true },
    );
    const url = `${gateway.adminUrl}/health`;
    expect((await httpsRequest(url, { agent: tlsAgent(CLIENT) })).status).toBe(200);
    await expect(httpsRequest(url, { agent: tlsAgent() })).rejects.toThrow(/alert|hang up|ECONNRESET/);
  });
});

describe('client_auth: request', () => {
  it('serves everybody, and tells of what was verified alone', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('request'), upstream);
    const cases = [
      [{}, [[], []]],
      [STRANGER, [[], []]],
      [CLIENT, [['CN=gateway'], [fingerprint(CLIENT.cert)]]],
    ] as const;
    for (const [client, expected] of cases) {
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        // oxlint-disable-next-line no-await-in-loop -- the upstream's last request is that of this one.
        const response = await httpsRequest(`${gateway.url}/a`, {
          agent: tlsAgent({ ...client, maxVersion }),
          headers: { 'x-client-cert-subject': 'CN=me' },
        });
        expect(response.status).toBe(200);
        expect(told(upstream)).toEqual(expected);
      }
    }
  });

  it('does not believe an unknown certificate after a resumption either', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('request'), upstream);
    for (const client of [STRANGER, {}]) {
      /* oxlint-disable no-await-in-loop -- one after the other. */
      const first = await connectTls(gateway.port, client);
      await first.write(GET);
      await first.response();
      const session = await waitFor(() => first.session, 'a session');
      const second = await connectTls(gateway.port, { ...client, session });
      expect(second.tls.isSessionReused()).toBe(true);
      await second.write(GET);
      expect((await second.response()).status).toBe(200);
      expect(told(upstream)).toEqual([[], []]);
      /* oxlint-enable no-await-in-loop */
    }
  });

  it('writes a subject in one line of visible ASCII', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('request', 'chain-ca.crt'), upstream);
    await httpsRequest(`${gateway.url}/a`, { agent: tlsAgent(STRANGER) });
    const [subject] = told(upstream)[0]!;
    expect(subject).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeURIComponent(subject!)).toBe(
      String.raw`serialNumber=7+CN=reports,OU=Zoë \+ Söhne,O=Acme\, Inc. 100%,C=DE`,
    );
  });

  it('tells upstreams of WebSockets too', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      server: { tls: mutual('request') },
      routes: [{ path: '/', backends: [upstream.backend] }],
    });
    const options = { ca: AUTHORITIES, ...CLIENT, headers: { 'x-client-cert-subject': 'CN=me' } };
    const peer = new Peer(new WebSocket(`wss://127.0.0.1:${gateway.port}/chat`, options));
    await waitFor(() => peer.socket.readyState === WebSocket.OPEN, 'open');
    expect(upstream.last!.headers['x-client-cert-subject']).toBe('CN=gateway');
    peer.socket.terminate();
  });
});

it('a guard of the team’s own knows the certificate', async () => {
  const upstream = await echoUpstream();
  const guards = ['certified'];
  const gateway = await startTestGateway({
    extensions: [CERTIFIED],
    server: { tls: mutual('request') },
    routes: [{ path: '/', guards, backends: [upstream.backend] }],
  });
  const ask = (client: object) => httpsRequest(`${gateway.url}/a`, { agent: tlsAgent(client) });
  const known = await ask(CLIENT);
  expect([known.status, known.header('x-seen')]).toEqual([
    200,
    `CN=gateway ${fingerprint(CLIENT.cert)} CN=gateway`,
  ]);
  expect((await ask(STRANGER)).status).toBe(403);
  expect((await ask({})).status).toBe(403);
});

describe('a reload', () => {
  it('changes who is asked, and what versions are spoken; no ticket goes around it', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(EC, upstream);
    const before = await connectTls(gateway.port);
    await before.write(GET);
    await before.response();
    const session = await waitFor(() => before.session, 'a session');
    expect(await gateway.reload(document({ ...mutual('require'), min_version: 'TLSv1.3' }, upstream))).toBe(
      true,
    );

    expect(await answerTo(gateway.port, { session })).toBe('');
    await expect(connectTls(gateway.port, { ...CLIENT, maxVersion: 'TLSv1.2' })).rejects.toThrow(
      /version|alert/i,
    );
    expect((await httpsRequest(`${gateway.url}/a`, { agent: tlsAgent(CLIENT) })).status).toBe(200);
    // Those that stood serve on.
    await before.write(GET);
    expect((await before.response(1)).status).toBe(200);

    expect(await gateway.reload(document(EC, upstream))).toBe(true);
    expect(
      (await httpsRequest(`${gateway.url}/a`, { agent: tlsAgent({ maxVersion: 'TLSv1.2' }) })).status,
    ).toBe(200);
    expect(gateway.logsWith('certificate renewal failed')).toEqual([]);
  });

  it('goes over to other authorities', async () => {
    const upstream = await echoUpstream();
    const gateway = await tlsGateway(mutual('require'), upstream);
    expect(await gateway.reload(document(mutual('require', 'chain-ca.crt'), upstream))).toBe(true);
    expect((await httpsRequest(`${gateway.url}/a`, { agent: tlsAgent(STRANGER) })).status).toBe(200);
    expect(told(upstream)[1]).toEqual([fingerprint(pem('odd-client.crt'))]);
    await expect(httpsRequest(`${gateway.url}/a`, { agent: tlsAgent(CLIENT) })).rejects.toThrow(
      /hang up|ECONNRESET/,
    );
  });
});
