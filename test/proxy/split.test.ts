import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  echoedHeader,
  echoUpstream,
  type EchoUpstream,
  freePort,
  rawUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';

interface Entry {
  readonly upstream: string;
  readonly weight: number;
  readonly headers?: Record<string, string>;
}

type Upstreams = Record<string, { readonly backends: object[]; readonly host_header?: string }>;

function documentOf(split: readonly Entry[], upstreams: Upstreams, route: object = {}): object {
  return {
    server: { trusted_proxies: ['127.0.0.0/8'] },
    upstreams,
    routes: [{ id: 'r', path: '/', split, ...route }],
  };
}

async function twoUpstreams(): Promise<{ stable: EchoUpstream; canary: EchoUpstream; upstreams: Upstreams }> {
  const [stable, canary] = [await echoUpstream(), await echoUpstream()];
  stable.headers = { 'x-from': 'stable' };
  canary.headers = { 'x-from': 'canary' };
  const upstreams = { stable: { backends: [stable.backend] }, canary: { backends: [canary.backend] } };
  return { stable, canary, upstreams };
}

/** Which upstream serves the client of this address. */
async function servedBy(gateway: TestGateway, client: number): Promise<string | null> {
  const headers = { 'x-forwarded-for': `198.51.100.${client}` };
  return (await gateway.get('/', { headers })).header('x-from') ?? null;
}

async function servedAll(gateway: TestGateway): Promise<(string | null)[]> {
  return Promise.all(Array.from({ length: 200 }, (_, client) => servedBy(gateway, client)));
}

const weights = (stable: number, canary: number): Entry[] => [
  { upstream: 'stable', weight: stable },
  { upstream: 'canary', weight: canary },
];

describe('split', () => {
  it('serves each client by the same upstream, over restarts, and a raised weight moves clients one way', async () => {
    const { upstreams } = await twoUpstreams();
    const gateway = await startTestGateway(documentOf(weights(70, 30), upstreams));
    const first = await servedAll(gateway);
    const canary = first.filter((name) => name === 'canary').length;
    expect([canary > 30, canary < 90]).toEqual([true, true]);
    expect(await servedAll(gateway)).toEqual(first);
    const restarted = await startTestGateway(documentOf(weights(70, 30), upstreams));
    expect(await servedAll(restarted)).toEqual(first);
    expect(await gateway.reload(documentOf(weights(40, 60), upstreams))).toBe(true);
    const second = await servedAll(gateway);
    const moved = first.flatMap((name, at) => (second[at] === name ? [] : [`${name} to ${second[at]}`]));
    expect(new Set(moved)).toEqual(new Set(['stable to canary']));
    expect(await gateway.reload(documentOf(weights(70, 30), upstreams))).toBe(true);
    expect(await servedAll(gateway)).toEqual(first);
    await untilAtRest(gateway);
  });

  it('lets headers decide first, all of an entry together, also where the weight is 0', async () => {
    const { upstreams } = await twoUpstreams();
    const entries: Entry[] = [
      { upstream: 'stable', weight: 1 },
      { upstream: 'canary', weight: 0, headers: { 'X-Canary': '/^(1|yes)$/', 'X-Team': 'core' } },
    ];
    const gateway = await startTestGateway(documentOf(entries, upstreams));
    const from = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await gateway.get('/', { headers })).header('x-from');
    expect(await from({})).toBe('stable');
    expect(await from({ 'x-canary': 'yes' })).toBe('stable');
    expect(await from({ 'x-canary': 'no', 'x-team': 'core' })).toBe('stable');
    expect(await from({ 'x-canary': 'yes', 'x-team': 'core' })).toBe('canary');
    const all = new Set(await servedAll(gateway));
    expect(all).toEqual(new Set(['stable']));
  });

  it('shows the chosen upstream in log and metrics and uses its settings', async () => {
    const { stable, canary, upstreams } = await twoUpstreams();
    const named = {
      stable: { ...upstreams['stable']!, host_header: 'stable.internal' },
      canary: { ...upstreams['canary']!, host_header: 'canary.internal' },
    };
    const entries: Entry[] = [
      { upstream: 'stable', weight: 1 },
      { upstream: 'canary', weight: 0, headers: { 'x-canary': '1' } },
    ];
    const gateway = await startTestGateway(documentOf(entries, named, { path: '/x' }));
    await gateway.get('/x');
    await gateway.get('/x', { headers: { 'x-canary': '1' } });
    const completed = gateway.logsWith('request completed');
    expect(completed).toMatchObject([
      { upstream: 'stable', backend: stable.url },
      { upstream: 'canary', backend: canary.url },
    ]);
    for (const upstream of ['stable', 'canary'])
      expect(await gateway.metric('gateway_requests_total', { path: '/x', upstream })).toBe(1);
    expect(echoedHeader(stable.last!, 'host')).toEqual(['stable.internal']);
    expect(echoedHeader(canary.last!, 'host')).toEqual(['canary.internal']);
    expect(gateway.logsWith('route registered')).toMatchObject([{ id: 'r', split: ['stable', 'canary'] }]);
    expect(await gateway.running.control.routes()).toMatchObject([
      { id: 'r', upstream: 'stable', split: ['stable', 'canary'] },
    ]);
  });

  it('answers for the chosen upstream alone: no other one steps in', async () => {
    const { stable, canary, upstreams } = await twoUpstreams();
    canary.healthStatus = 500;
    const entries: Entry[] = [
      { upstream: 'stable', weight: 1 },
      { upstream: 'canary', weight: 0, headers: { 'x-canary': '1' } },
      { upstream: 'gone', weight: 0, headers: { 'x-gone': '1' } },
    ];
    const gone = { backends: [{ url: `http://127.0.0.1:${await freePort()}` }] };
    const health = { interval: '100ms', timeout: '90ms', healthy_threshold: 1, unhealthy_threshold: 1 };
    const document = documentOf(entries, { ...upstreams, gone });
    const gateway = await startTestGateway({ ...document, health_check: health });
    await gateway.logged('backend became unhealthy', { upstream: 'canary' });
    const sick = await gateway.get('/', { headers: { 'x-canary': '1' } });
    expect([sick.status, sick.json()['code']]).toEqual([503, 'no_healthy_backend']);
    await gateway.logged('backend became unhealthy', { upstream: 'gone' });
    const refused = await gateway.get('/', { headers: { 'x-gone': '1' } });
    expect([refused.status, refused.json()['code']]).toEqual([503, 'no_healthy_backend']);
    expect([stable.requests.length, canary.requests.length]).toEqual([0, 0]);
    await gateway.logged('request completed', { upstream: 'canary', backend: null, status: 503 });
    await gateway.logged('request completed', { upstream: 'gone', backend: null, status: 503 });
    const labels = { upstream: 'canary', status: '503' };
    expect(await gateway.metric('gateway_requests_total', labels)).toBe(1);
    expect((await gateway.get('/')).header('x-from')).toBe('stable');
  });

  it('chooses for WebSockets too', async () => {
    const { stable, upstreams } = await twoUpstreams();
    const sockets = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno');
    });
    const entries: Entry[] = [
      { upstream: 'stable', weight: 1 },
      { upstream: 'sockets', weight: 0, headers: { 'x-canary': '1' } },
    ];
    const document = documentOf(entries, { ...upstreams, sockets: { backends: [sockets.backend] } });
    const gateway = await startTestGateway(document);
    const { responses } = await gateway.raw(
      'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Canary: 1\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(responses[0]).toMatchObject({ status: 403, text: 'no' });
    expect([sockets.requests.length, stable.started]).toEqual([1, 0]);
    await gateway.logged('request completed', { upstream: 'sockets' });
  });
});

describe('a reload', () => {
  it('lets new clients of a share go to its new backend, and leaves the other share its socket', async () => {
    const { stable, canary, upstreams } = await twoUpstreams();
    const entries: Entry[] = [
      { upstream: 'stable', weight: 1 },
      { upstream: 'canary', weight: 0, headers: { 'x-canary': '1' } },
    ];
    const gateway = await startTestGateway(documentOf(entries, upstreams));
    const visit = async (): Promise<void> => {
      await gateway.get('/');
      await gateway.get('/', { headers: { 'x-canary': '1' } });
    };
    await visit();
    const next = await echoUpstream();
    const moved = { ...upstreams, canary: { backends: [next.backend] } };
    expect(await gateway.reload(documentOf(entries, moved))).toBe(true);
    expect(gateway.logsWith('config reloaded').at(-1)).toMatchObject({ changed: ['upstream:canary'] });
    await visit();
    expect([stable.requests.length, canary.requests.length, next.requests.length]).toEqual([2, 1, 1]);
    expect(stable.connectionCount).toBe(1);
  });
});
