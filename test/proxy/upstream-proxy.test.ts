import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';

import { connectProxy } from '../support/connect-proxy.js';
import {
  closeAtEnd,
  echoUpstream,
  freePort,
  rawUpstream,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { tlsFile, tlsUpstream } from '../support/tls.js';

/** A route to one backend over a proxy. */
const over = (proxy: string, url: string, connection: object = {}, more: object = {}): object => ({
  routes: [{ path: '/', backends: [{ url }], connection: { proxy, ...connection }, ...more }],
});

describe('a proxy on the way to a backend', () => {
  it('makes a tunnel to an http backend, which is used again', async () => {
    const upstream = await echoUpstream();
    const proxy = await connectProxy();
    const gateway = await startTestGateway(over(proxy.url, upstream.url));
    const first = await gateway.request('/a?b=1', { method: 'POST', body: 'body' });
    expect([first.status, first.json()['url'], first.json()['bodyBytes']]).toEqual([200, '/a?b=1', 4]);
    expect((await gateway.get('/c')).status).toBe(200);
    expect(proxy.connects).toEqual([{ target: new URL(upstream.url).host, authorization: null }]);
    expect(proxy.others).toEqual([]);
  });

  it('names the backend as written: the proxy finds it', async () => {
    const upstream = await echoUpstream();
    const { port } = new URL(upstream.url);
    const proxy = await connectProxy({ 'users.invalid': '127.0.0.1' });
    const gateway = await startTestGateway(over(proxy.url, `http://users.invalid:${port}`));
    expect((await gateway.get('/')).status).toBe(200);
    expect(proxy.connects.map(({ target }) => target)).toEqual([`users.invalid:${port}`]);
  });

  it('names an IPv6 backend in brackets', async () => {
    const upstream = await echoUpstream({ host: '::1' });
    const proxy = await connectProxy();
    const gateway = await startTestGateway(over(proxy.url, upstream.url));
    expect((await gateway.get('/')).status).toBe(200);
    expect(proxy.connects[0]!.target).toMatch(/^\[::1\]:\d+$/);
  });

  it('carries TLS to an https backend unread', async () => {
    const upstream = await tlsUpstream('users.crt', 'users.key', { clients: 'mutual-ca.crt' });
    const proxy = await connectProxy({ 'users.internal': '127.0.0.1' });
    const tls = {
      ca_file: tlsFile('mutual-ca.crt'),
      cert_file: tlsFile('client.crt'),
      key_file: tlsFile('client.key'),
    };
    const gateway = await startTestGateway(
      over(proxy.url, `https://users.internal:${upstream.port}`, { tls }),
    );
    const response = await gateway.get('/secret');
    expect(response.json()).toMatchObject({ url: '/secret', servername: 'users.internal' });
    expect(proxy.connects).toHaveLength(1);
  });

  it('is given the credentials of its url, which appear in no log', async () => {
    const upstream = await echoUpstream();
    const proxy = await connectProxy();
    const url = proxy.url.replace('http://', 'http://us%40er:hush%3Ahush@');
    const gateway = await startTestGateway(over(url, upstream.url));
    expect((await gateway.get('/')).status).toBe(200);
    const expected = `Basic ${Buffer.from('us@er:hush:hush').toString('base64')}`;
    expect(proxy.connects[0]!.authorization).toBe(expected);
    proxy.refusal = '407 Proxy Authentication Required';
    const refused = await startTestGateway(over(url, upstream.url));
    expect((await refused.get('/')).status).toBe(502);
    const logs = [...gateway.rawLogs, ...refused.rawLogs].join('\n');
    expect(logs).not.toMatch(/hush|us%40er/);
    expect(logs).not.toContain(expected.slice(6));
  });

  it('that makes no tunnel is a 502, and the log says what it answered', async () => {
    const upstream = await echoUpstream();
    const proxy = await connectProxy();
    proxy.refusal = '403 Forbidden by policy';
    const gateway = await startTestGateway(over(proxy.url, upstream.url));
    const response = await gateway.request('/', { method: 'POST', body: 'x' });
    expect([response.status, response.json()['code']]).toEqual([502, 'upstream_unavailable']);
    expect(response.text).not.toContain('policy');
    await gateway.logged('upstream request failed', {
      reason: 'upstream_unavailable',
      err: `proxy 127.0.0.1:${proxy.port}: refused the tunnel: 403 Forbidden by policy`,
    });
    await waitFor(() => proxy.sockets.size === 0, 'the socket closes');
  });

  it.each([
    ['speaks no HTTP', 'SSH-2.0-x\r\n', /Parse Error/],
    ['says nothing and leaves', '', /socket hang up/],
  ])('that %s is a 502', async (_, bytes, err) => {
    const proxy = await rawUpstream(async (connection) => {
      await connection.until(() => connection.text.includes('\r\n\r\n'), 'a head');
      if (bytes) await connection.write(bytes);
      connection.destroy();
    });
    const gateway = await startTestGateway(over(proxy.url, 'http://users.invalid'));
    expect((await gateway.get('/')).status).toBe(502);
    expect((await gateway.logged('upstream request failed'))['err']).toMatch(err);
  });

  it('that nobody reaches is a 502', async () => {
    const port = await freePort();
    const gateway = await startTestGateway(over(`http://127.0.0.1:${port}`, 'http://users.invalid'));
    expect((await gateway.get('/')).status).toBe(502);
    await gateway.logged('upstream request failed', {
      err: `proxy 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('has connect_timeout for all of it', async () => {
    const proxy = await connectProxy();
    proxy.refusal = '';
    const timeout = { connect_timeout: '250ms' };
    const gateway = await startTestGateway(over(proxy.url, 'http://users.invalid', timeout));
    const response = await gateway.get('/');
    expect([response.status, response.json()['code']]).toEqual([504, 'upstream_timeout']);
    await gateway.logged('upstream request failed', {
      err: `connect timeout: the proxy 127.0.0.1:${proxy.port}`,
    });
    await waitFor(() => proxy.sockets.size === 0, 'the socket closes');
  });

  it.each(['http', 'tcp'])('is on the way of %s probes too', async (type) => {
    const upstream = await echoUpstream();
    const proxy = await connectProxy({ 'users.invalid': '127.0.0.1' });
    const check = { type, interval: '1h', healthy_threshold: 1, unhealthy_threshold: 1 };
    const url = `http://users.invalid:${new URL(upstream.url).port}`;
    const gateway = await startTestGateway(over(proxy.url, url, {}, { health_check: check }));
    await waitFor(() => proxy.connects.length > 0, 'a probe');
    await waitFor(() => proxy.sockets.size === 0, 'the end of the probe');
    expect(upstream.probes).toBe(type === 'http' ? 1 : 0);
    expect(gateway.logsWith('backend became unhealthy')).toEqual([]);
    proxy.refusal = '403 Forbidden';
    const refused = await startTestGateway(over(proxy.url, url, {}, { health_check: check }));
    expect(JSON.stringify(await refused.logged('backend became unhealthy'))).toContain(
      'refused the tunnel: 403',
    );
  });

  it('carries WebSockets', async () => {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    sockets.on('connection', (socket) =>
      socket.on('message', (data) => socket.send(`heard ${(data as Buffer).toString()}`)),
    );
    await waitFor(() => sockets.address(), 'a listening server');
    closeAtEnd(() => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    });
    const { port } = sockets.address() as { port: number };
    const proxy = await connectProxy();
    const gateway = await startTestGateway(over(proxy.url, `http://127.0.0.1:${port}`));
    const client = new WebSocket(gateway.url.replace('http', 'ws'));
    closeAtEnd(() => client.terminate());
    const heard: string[] = [];
    client.on('open', () => client.send('you'));
    client.on('message', (data) => heard.push((data as Buffer).toString()));
    await waitFor(() => heard.length > 0, 'an answer');
    expect(heard).toEqual(['heard you']);
    expect(proxy.connects.map(({ target }) => target)).toEqual([`127.0.0.1:${port}`]);
  });

  it('is given up with the client that waits for it', async () => {
    const proxy = await connectProxy();
    proxy.refusal = '';
    const gateway = await startTestGateway(over(proxy.url, 'http://users.invalid'));
    const client = await gateway.connect();
    await client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await waitFor(() => proxy.connects.length > 0, 'a CONNECT');
    client.destroy();
    await waitFor(() => proxy.sockets.size === 0, 'the socket to the proxy closes');
    expect(proxy.connects).toHaveLength(1);
  });

  it('comes from the environment, but for what no_proxy excepts', async () => {
    const upstream = await echoUpstream();
    const proxy = await connectProxy({ 'users.invalid': '127.0.0.1' });
    const { port } = new URL(upstream.url);
    const route = (name: string, url: string): object => ({
      path: `/${name}`,
      backends: [{ url }],
      connection: { proxy: 'environment' },
    });
    const env = { HTTP_PROXY: proxy.url, no_proxy: '127.0.0.0/8' };
    const routes = [
      route('over', `http://users.invalid:${port}`),
      route('straight', `http://127.0.0.1:${port}`),
    ];
    const gateway = await startTestGateway({ routes }, { env });
    expect((await gateway.get('/over')).status).toBe(200);
    expect((await gateway.get('/straight')).status).toBe(200);
    expect(proxy.connects.map(({ target }) => target)).toEqual([`users.invalid:${port}`]);
  });
});
