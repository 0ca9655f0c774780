import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { type DnsAnswer, type DnsServer, dnsServer } from '../support/dns-server.js';
import {
  type EchoUpstream,
  echoedHeader,
  echoUpstream,
  freePort,
  open,
  rawUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';
import { tlsFile, tlsUpstream } from '../support/tls.js';
import { open as openWebSocket, wsUpstream } from '../websocket/support.js';

const ONE = '127.0.0.1';
const TWO = '127.0.0.2';

/** Two servers on one port, as two addresses of a name have it. */
async function pair(): Promise<[EchoUpstream, EchoUpstream]> {
  const one = await echoUpstream();
  return [one, await echoUpstream({ host: TWO, port: one.port })];
}

function documentOf(dns: DnsServer, url: string, upstream: object = {}): object {
  const discovery = { type: 'dns', interval: '1s', servers: [dns.address] };
  return {
    upstreams: { u: { backends: [{ url }], discovery, ...upstream } },
    routes: [{ id: 'r', path: '/', upstream: 'u' }],
  };
}

async function start(
  port: number,
  answer: DnsAnswer,
  upstream: object = {},
): Promise<{ dns: DnsServer; gateway: TestGateway; url: string }> {
  const dns = await dnsServer({ 'api.test': answer });
  const url = `http://api.test:${port}`;
  return { dns, url, gateway: await startTestGateway(documentOf(dns, url, upstream)) };
}

/** Waits for the line that tells of these addresses. */
async function moved(gateway: TestGateway, ...addresses: string[]): Promise<void> {
  await waitFor(
    () => {
      const line = gateway.logsWith('addresses changed').at(-1);
      return JSON.stringify(line?.['addresses']) === JSON.stringify(addresses);
    },
    `the addresses ${addresses.join(', ')}`,
  );
}

async function send(gateway: TestGateway, count: number): Promise<number[]> {
  const statuses: number[] = [];
  // oxlint-disable-next-line no-await-in-loop -- one after the other, so that round robin is exact.
  for (let sent = 0; sent < count; sent++) statuses.push((await gateway.get('/a')).status);
  return statuses;
}

describe('the addresses of a name', () => {
  it('share the load under the name of the url, each with series of its own', async () => {
    const [one, two] = await pair();
    const { gateway, url } = await start(one.port, { addresses: [TWO, ONE] });
    expect(await send(gateway, 6)).toEqual([200, 200, 200, 200, 200, 200]);
    expect([one.requests.length, two.requests.length]).toEqual([3, 3]);
    for (const { last } of [one, two]) expect(echoedHeader(last!, 'host')).toEqual([`api.test:${one.port}`]);
    for (const address of [ONE, TWO]) {
      const labels = { upstream: 'u', backend: `${url}@${address}:${one.port}` };
      expect(await gateway.metric('gateway_backend_healthy', labels)).toBe(1);
      expect(await gateway.metric('gateway_upstream_duration_seconds_count', labels)).toBe(3);
    }
    expect((await gateway.get('/_gateway/upstreams')).json()).toMatchObject([
      { backends: [{ id: `${url}@${ONE}:${one.port}`, weight: 0.5 }, { id: `${url}@${TWO}:${one.port}` }] },
    ]);
    await gateway.logged('request completed', { backend: `${url}@${TWO}:${one.port}` });
  });

  it('may be IPv6', async () => {
    const six = await echoUpstream({ host: '::1' });
    const { gateway, url } = await start(six.port, { addresses: ['::1'] });
    expect(await send(gateway, 2)).toEqual([200, 200]);
    expect(await gateway.metric('gateway_backend_healthy', { backend: `${url}@[::1]:${six.port}` })).toBe(1);
  });

  it('are probed each, at once, and used while they are healthy', async () => {
    const [one, two] = await pair();
    two.healthStatus = 500;
    const health_check = { interval: '30s', timeout: '2s', unhealthy_threshold: 1 };
    const { dns, gateway, url } = await start(one.port, { addresses: [ONE] }, { health_check });
    await waitFor(() => one.probes === 1, 'the first probe');
    dns.set('api.test', { addresses: [ONE, TWO] });
    const err = 'unhealthy status: 500';
    await gateway.logged('backend became unhealthy', { backend: `${url}@${TWO}:${one.port}`, err });
    expect(await send(gateway, 4)).toEqual([200, 200, 200, 200]);
    expect(one.requests.length).toBeGreaterThanOrEqual(4);
    const after = two.requests.length;
    await send(gateway, 2);
    expect([two.requests.length, one.probes]).toEqual([after, 1]);
  });

  it('prove the name of the url over TLS', async () => {
    const upstream = await tlsUpstream('users.crt', 'users.key');
    const dns = await dnsServer({ 'users.internal': { addresses: [ONE] }, 'api.test': { addresses: [ONE] } });
    const connection = { tls: { ca_file: tlsFile('mutual-ca.crt') } };
    const at = (name: string): Promise<TestGateway> =>
      startTestGateway(documentOf(dns, `https://${name}:${upstream.port}`, { connection }));
    const answer = await (await at('users.internal')).get('/x');
    expect(answer.json()).toMatchObject({
      servername: 'users.internal',
      host: `users.internal:${upstream.port}`,
    });
    expect((await (await at('api.test')).get('/x')).status).toBe(502);
  });

  it('are found by the system too: localhost', async () => {
    const echo = await echoUpstream();
    const gateway = await startTestGateway({
      upstreams: { u: { backends: [{ url: `http://localhost:${echo.port}` }], discovery: { type: 'dns' } } },
      routes: [{ path: '/', upstream: 'u' }],
    });
    const id = `http://localhost:${echo.port}@127.0.0.1:${echo.port}`;
    expect(await gateway.metric('gateway_backend_healthy', { backend: id })).toBe(1);
    expect((await gateway.get('/a')).status).toBe(200);
  });
});

describe('a service (SRV)', () => {
  it('gives ports, weights and priorities', async () => {
    const [heavy, light, spare] = [await echoUpstream(), await echoUpstream(), await echoUpstream()];
    const record = (echo: EchoUpstream, target: string, priority: number, weight: number) => ({
      priority,
      weight,
      port: echo.port,
      target,
    });
    const services = [
      record(heavy, 'a.test', 1, 3),
      record(light, 'b.test', 1, 1),
      record(spare, 'a.test', 2, 9),
    ];
    const dns = await dnsServer({
      '_api._tcp.test': { services },
      'a.test': { addresses: [ONE] },
      'b.test': { addresses: [ONE] },
    });
    const gateway = await startTestGateway(
      documentOf(dns, 'http://_api._tcp.test/base', { balancing: 'weighted_round_robin' }),
    );
    await send(gateway, 8);
    expect([heavy, light, spare].map(({ requests }) => requests.length)).toEqual([6, 2, 0]);
    expect(heavy.last).toMatchObject({ url: '/base/a' });
    expect(echoedHeader(heavy.last!, 'host')).toEqual(['_api._tcp.test']);
    dns.set('_api._tcp.test', { services: services.slice(2) });
    await moved(gateway, `${ONE}:${spare.port}`);
    await send(gateway, 2);
    expect(spare.requests).toHaveLength(2);
  });
});

describe('when DNS fails', () => {
  it.each<DnsAnswer>(['NXDOMAIN', 'SERVFAIL', 'silence'])('the last good answer stays: %j', async (fault) => {
    const echo = await echoUpstream();
    const { dns, gateway } = await start(echo.port, { addresses: [ONE] });
    dns.set('api.test', fault);
    await gateway.logged('discovery failed', { upstream: 'u', name: 'api.test' }, { timeoutMs: 10_000 });
    const asked = dns.asked('api.test');
    await waitFor(() => dns.asked('api.test') > asked, 'another look-up', { timeoutMs: 10_000 });
    expect(await send(gateway, 2)).toEqual([200, 200]);
    dns.set('api.test', { addresses: [ONE] });
    await gateway.logged('discovery recovered', { name: 'api.test' }, { timeoutMs: 10_000 });
    expect(gateway.logsWith('discovery failed')).toHaveLength(1);
    expect(gateway.logsWith('addresses changed')).toHaveLength(1);
    expect(echo.connectionCount).toBe(1);
  });

  it('for one kind of address alone, those of that kind stay', async () => {
    const port = (await echoUpstream()).port;
    const { dns, gateway } = await start(port, { addresses: [ONE, '::1'] });
    dns.set('api.test', { addresses: [TWO], failing: ['AAAA'] });
    await moved(gateway, `${TWO}:${port}`, `[::1]:${port}`);
    expect(gateway.logsWith('discovery failed')).toHaveLength(1);
  });

  it.each<DnsAnswer>(['NXDOMAIN', 'silence'])(
    'at the start, the gateway serves the rest: %j',
    async (fault) => {
      const [moving, fixed] = [await echoUpstream(), await echoUpstream()];
      const dns = await dnsServer({ 'api.test': fault });
      const { upstreams, routes } = documentOf(dns, `http://api.test:${moving.port}`) as {
        upstreams: object;
        routes: object[];
      };
      const gateway = await startTestGateway({
        upstreams,
        routes: [...routes, { path: '/fixed', backends: [fixed.backend] }],
      });
      expect((await gateway.get('/fixed')).status).toBe(200);
      const answer = await gateway.get('/a');
      expect([answer.status, answer.json()['code']]).toEqual([503, 'no_healthy_backend']);
      expect((await gateway.get('/health')).json()).toMatchObject({
        status: 'degraded',
        details: { u: { healthy: 0, total: 0 } },
      });
      dns.set('api.test', { addresses: [ONE] });
      await waitFor(async () => (await gateway.get('/a')).status === 200, 'the name', { timeoutMs: 10_000 });
      await gateway.logged('discovery recovered');
    },
  );
});

describe('an address that is gone', () => {
  it('finishes what is under way and gets nothing new', async () => {
    let finish = false;
    const slow = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n');
      await waitFor(() => finish, 'the test', { timeoutMs: 20_000 });
      await connection.write('data: 2\n\n');
      connection.end();
    });
    const next = await echoUpstream({ host: TWO, port: slow.port });
    const { dns, gateway, url } = await start(slow.port, { addresses: [ONE] });
    const events = await open(`${gateway.url}/events`, { agent: false });
    dns.set('api.test', { addresses: [TWO] });
    await moved(gateway, `${TWO}:${slow.port}`);
    expect(await send(gateway, 3)).toEqual([200, 200, 200]);
    expect([slow.requests.length, next.requests.length]).toEqual([1, 3]);
    finish = true;
    let text = '';
    for await (const chunk of events) text += String(chunk);
    expect(text).toBe('data: 1\n\ndata: 2\n\n');
    await slow.connections[0]!.untilClosed();
    await untilAtRest(gateway);
    expect((await gateway.get('/metrics')).text).not.toContain(`${url}@${ONE}`);
  });

  it('keeps its WebSockets, while requests go to the new address', async () => {
    const old = await wsUpstream();
    const next = await echoUpstream({ host: TWO, port: old.port });
    const { dns, gateway } = await start(old.port, { addresses: [ONE] });
    const peer = await openWebSocket(gateway);
    expect(old.last!.headers.host).toBe(`api.test:${old.port}`);
    dns.set('api.test', { addresses: [TWO] });
    await moved(gateway, `${TWO}:${old.port}`);
    await send(gateway, 2);
    expect(next.requests).toHaveLength(2);
    peer.send('still here');
    expect(await peer.message()).toBe('still here');
    peer.socket.close(1000);
    await peer.untilClosed();
    await waitFor(() => old.sockets.size === 0, 'its socket is closed');
    await untilAtRest(gateway);
  });

  it('has its idle connections closed', async () => {
    const [one, two] = await pair();
    const { dns, gateway } = await start(one.port, { addresses: [ONE] });
    await send(gateway, 1);
    expect(one.openConnections).toBe(1);
    dns.set('api.test', { addresses: [TWO] });
    await waitFor(() => one.openConnections === 0, 'closed');
    await send(gateway, 1);
    expect(two.requests).toHaveLength(1);
  });
});

describe('a reload', () => {
  it('keeps addresses and connections, and ends what is not looked for any more', async () => {
    const [one] = await pair();
    const { dns, gateway, url } = await start(one.port, { addresses: [ONE, TWO] });
    await send(gateway, 4);
    const before = gateway.logsWith('addresses changed').length;
    for (const critical of [true, false]) {
      expect(await gateway.reload(documentOf(dns, url, { critical }))).toBe(true);
      expect(await send(gateway, 4)).toEqual([200, 200, 200, 200]);
    }
    expect(one.connectionCount).toBe(1);
    expect(gateway.logsWith('addresses changed')).toHaveLength(before);
    expect(await gateway.reload(documentOf(dns, one.url))).toBe(true);
    expect(await send(gateway, 1)).toEqual([200]);
    const asked = dns.asked('api.test');
    dns.set('other.test', { addresses: [ONE] });
    expect(await gateway.reload(documentOf(dns, `http://other.test:${one.port}`))).toBe(true);
    // Looked up twice, a second apart: api.test would have been as well.
    await waitFor(() => dns.asked('other.test') >= 2, 'the next look-up');
    expect(dns.asked('api.test')).toBe(asked);
  });

  it('that is refused changes nothing', async () => {
    const echo = await echoUpstream();
    const { dns, gateway } = await start(echo.port, { addresses: [ONE] });
    const broken = documentOf(dns, `http://other.test:${await freePort()}`, { balancing: 'roulette' });
    expect(await gateway.reload(broken)).toBe(false);
    expect(await send(gateway, 2)).toEqual([200, 200]);
    expect(dns.asked('other.test')).toBe(0);
  });

  it.each([
    ['nowhere', '"nowhere" is no address'],
    ['10.0.0.2:0', '"10.0.0.2:0" has a bad port'],
    ['[::1', '"[::1" is no address'],
    ['10.0.0.2:99999', '"10.0.0.2:99999" has a bad port'],
  ])('is refused for the DNS server %s', async (server, message) => {
    const dns = await dnsServer();
    const echo = await echoUpstream();
    const gateway = await startTestGateway(documentOf(dns, echo.url));
    const discovery = { type: 'dns', servers: [server] };
    expect(await gateway.reload(documentOf(dns, echo.url, { discovery }))).toBe(false);
    const line = gateway.logsWith('config reload failed').at(-1)!;
    expect(JSON.stringify(line['errors'])).toContain(JSON.stringify(message).slice(1, -1));
  });

  it.each(['127.0.0.1', '::1', '[::1]', '[::1]:53', '127.0.0.1:5353'])(
    'takes the DNS server %s',
    async (server) => {
      const echo = await echoUpstream();
      const gateway = await startTestGateway({
        upstreams: {
          u: { backends: [{ url: echo.url }], discovery: { type: 'dns', servers: [server] } },
        },
        routes: [{ path: '/', upstream: 'u' }],
      });
      expect((await gateway.get('/a')).status).toBe(200);
    },
  );
});
