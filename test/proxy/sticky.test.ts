import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  type ClientResponse,
  type EchoUpstream,
  echoedHeader,
  echoUpstream,
  request,
  startTestGateway,
  waitFor,
} from '../support/index.js';
import { open as openWebSocket, wsUpstream } from '../websocket/support.js';

async function scene({
  sticky = {},
  upstream = {},
  count = 3,
}: { sticky?: object | null; upstream?: object; count?: number } = {}) {
  const echoes = await Promise.all(Array.from({ length: count }, () => echoUpstream()));
  const document = (backends: readonly EchoUpstream[], extra: object = {}): object => ({
    upstreams: { u: { backends: backends.map(({ backend }) => backend), sticky, ...upstream, ...extra } },
    routes: [{ id: 'r', path: '/', upstream: 'u' }],
  });
  const gateway = await startTestGateway(document(echoes), { admin: true });
  const ask = (cookie?: string): Promise<ClientResponse> =>
    gateway.get('/', cookie === undefined ? {} : { headers: { cookie } });
  const drain = (echo: EchoUpstream, state: string): Promise<ClientResponse> =>
    request(`${gateway.adminUrl}/api/upstreams/u/backends/${encodeURIComponent(echo.url)}`, {
      method: 'PUT',
      body: JSON.stringify({ state }),
      headers: { 'content-type': 'application/json' },
    });
  /** The backend that answered the latest request. */
  const served = (): number => {
    const at = echoes.findIndex(({ requests }) => requests.length > 0);
    for (const { requests } of echoes) requests.length = 0;
    return at;
  };
  return { gateway, echoes, document, ask, drain, served };
}

/** What a browser sends after such an answer. */
function cookieOf(answer: ClientResponse): string {
  const [line = ''] = answer.headerAll('set-cookie');
  return line.split(';')[0]!;
}

describe('sticky', () => {
  it('keeps a client at its backend, and shares new ones out', async () => {
    const { ask, served, gateway } = await scene();
    const homes = new Set<number>();
    for (let client = 0; client < 3; client++) {
      const first = await ask();
      expect(first.headerAll('set-cookie')).toEqual([
        expect.stringMatching(/^nexus_affinity=\S+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/),
      ]);
      const home = served();
      homes.add(home);
      for (let round = 0; round < 5; round++) {
        const next = await ask(`a=1; ${cookieOf(first)}`);
        expect([next.status, served(), next.headerAll('set-cookie')]).toEqual([200, home, []]);
      }
    }
    expect(homes).toEqual(new Set([0, 1, 2]));
    await untilAtRest(gateway);
  });

  it('does nothing when it is off', async () => {
    const { ask, served } = await scene({ sticky: null });
    const first = await ask('nexus_affinity=x');
    expect([served(), first.headerAll('set-cookie')]).toEqual([0, []]);
    await ask('nexus_affinity=x');
    expect(served()).toBe(1);
  });

  it('shows its cookie to no backend, and the client’s others as they came', async () => {
    const { ask, echoes, served } = await scene({ count: 1 });
    const own = cookieOf(await ask());
    served();
    const seen = async (cookie: string): Promise<string[]> => {
      await ask(cookie);
      return echoedHeader(echoes[0]!.last!, 'cookie');
    };
    expect(await seen(own)).toEqual([]);
    expect(await seen(`a="1 2";${own}; b=%20`)).toEqual(['a="1 2"; b=%20']);
    expect(await seen(`a=1; not_${own}`)).toEqual([`a=1; not_${own}`]);
    expect(await seen('nexus_affinity=forged; a=1')).toEqual(['a=1']);
  });

  it('tells the client nothing of where its backend is', async () => {
    const { ask, echoes } = await scene();
    const text = cookieOf(await ask());
    for (const { port } of echoes) expect(text).not.toContain(String(port));
    expect(text).not.toContain('127');
  });

  it('gives a forged, foreign or broken cookie no say, and a new one', async () => {
    const { ask, served } = await scene();
    const good = cookieOf(await ask());
    const home = served();
    const forged = good.replace(/.$/, (char) => (char === 'A' ? 'E' : 'A'));
    const seen = new Set<number>();
    for (const cookie of [
      forged,
      forged,
      forged,
      'nexus_affinity=',
      'nexus_affinity',
      'nexus_affinity=a.b.c.d',
    ]) {
      const answer = await ask(cookie);
      expect([answer.status, answer.headerAll('set-cookie').length]).toEqual([200, 1]);
      seen.add(served());
    }
    expect(seen).toEqual(new Set([0, 1, 2]));
    await ask(good);
    expect(served()).toBe(home);
  });

  it('moves the clients of a backend that drains, for good', async () => {
    const { ask, served, drain, echoes, gateway } = await scene();
    const cookie = cookieOf(await ask());
    const home = served();
    expect((await drain(echoes[home]!, 'draining')).status).toBe(200);
    const moved = await ask(cookie);
    const next = served();
    expect([moved.status, next === home]).toEqual([200, false]);
    expect((await drain(echoes[home]!, 'active')).status).toBe(200);
    for (let round = 0; round < 3; round++) {
      expect((await ask(cookieOf(moved))).headerAll('set-cookie')).toEqual([]);
      expect(served()).toBe(next);
    }
    await untilAtRest(gateway);
  });

  it('moves the clients of an unhealthy backend', async () => {
    const health_check = { interval: '50ms', timeout: '40ms', healthy_threshold: 1, unhealthy_threshold: 1 };
    const { ask, served, echoes, gateway } = await scene({ upstream: { health_check } });
    const cookie = cookieOf(await ask());
    const home = served();
    echoes[home]!.healthStatus = 500;
    await gateway.logged('backend became unhealthy');
    const moved = await ask(cookie);
    expect([moved.status, served() === home, moved.headerAll('set-cookie').length]).toEqual([200, false, 1]);
  });

  it('moves a client whose backend refuses the connection, within the one request', async () => {
    const { ask, served, echoes } = await scene();
    const cookie = cookieOf(await ask());
    const home = served();
    await echoes[home]!.stop();
    const moved = await ask(cookie);
    const next = served();
    expect([moved.status, moved.headerAll('set-cookie').length]).toEqual([200, 1]);
    await echoes[home]!.start();
    await ask(cookieOf(moved));
    expect(served()).toBe(next);
  });

  it('moves a client whose backend is full, where another one has room', async () => {
    const { ask, served, echoes } = await scene({ upstream: { max_in_flight: { limit: 1, queue: 5 } } });
    const cookie = cookieOf(await ask());
    const home = served();
    echoes[home]!.delayMs = 500;
    const slow = ask(cookie);
    await waitFor(() => echoes[home]!.requests.length > 0, 'it is full');
    const moved = await ask(cookie);
    expect(moved.headerAll('set-cookie')).toHaveLength(1);
    expect(echoes[home]!.requests).toHaveLength(1);
    expect((await slow).headerAll('set-cookie')).toEqual([]);
  });

  it('holds over reloads, without a secret too, and lets go of a backend that was removed', async () => {
    const { ask, served, document, echoes, gateway } = await scene();
    const cookie = cookieOf(await ask());
    const home = served();
    expect(await gateway.reload(document(echoes.toReversed(), { critical: true }))).toBe(true);
    expect([(await ask(cookie)).headerAll('set-cookie'), served()]).toEqual([[], home]);
    const others = echoes.filter((_, at) => at !== home);
    expect(await gateway.reload(document(others))).toBe(true);
    const moved = await ask(cookie);
    expect([moved.status, served() === home, moved.headerAll('set-cookie').length]).toEqual([200, false, 1]);
  });

  it('is known to another process with the same secret alone', async () => {
    const secret = 'a secret of the tests';
    const [one, two] = [
      await scene({ sticky: { secret } }),
      await scene({ sticky: { secret: 'another secret of enough bytes' } }),
    ];
    const three = await startTestGateway(one.document(one.echoes));
    const cookie = cookieOf(await one.ask());
    expect((await three.get('/', { headers: { cookie } })).headerAll('set-cookie')).toEqual([]);
    expect((await two.ask(cookie)).headerAll('set-cookie')).toHaveLength(1);
    expect(one.gateway.rawLogs.join('\n')).not.toContain(secret);
  });

  it('has its own name and ttl, and marks the cookie Secure for clients that came over https', async () => {
    const { backend } = await echoUpstream();
    const gateway = await startTestGateway({
      server: { trusted_proxies: ['127.0.0.1/32'] },
      upstreams: { u: { backends: [backend], sticky: { cookie: 'at', ttl: '2m' } } },
      routes: [{ path: '/', upstream: 'u' }],
    });
    const plain = await gateway.get('/');
    expect(plain.header('set-cookie')).toMatch(/^at=\S+; Max-Age=120; Path=\/; HttpOnly; SameSite=Lax$/);
    const secure = await gateway.get('/', { headers: { 'x-forwarded-proto': 'https' } });
    expect(secure.header('set-cookie')).toMatch(/; SameSite=Lax; Secure$/);
  });

  it('stands beside the upstream’s own cookies', async () => {
    const { ask, echoes } = await scene({ count: 1 });
    echoes[0]!.headers = { 'set-cookie': ['a=1; Path=/x', 'b=2'] };
    const lines = (await ask()).headerAll('set-cookie');
    expect(lines.slice(0, 2)).toEqual(['a=1; Path=/x', 'b=2']);
    expect(lines[2]).toMatch(/^nexus_affinity=/);
  });

  it('gives none with an answer of the gateway’s own', async () => {
    const { ask, drain, echoes } = await scene({ count: 1 });
    await drain(echoes[0]!, 'draining');
    const refused = await ask();
    expect([refused.status, refused.headerAll('set-cookie')]).toEqual([503, []]);
  });

  it('ties WebSockets too', async () => {
    const upstreams = [await wsUpstream(), await wsUpstream()];
    const gateway = await startTestGateway({
      upstreams: { u: { backends: upstreams.map(({ backend }) => backend), sticky: {} } },
      routes: [{ path: '/', upstream: 'u' }],
    });
    const cookie = cookieOf(await gateway.get('/'));
    for (let round = 0; round < 4; round++) await openWebSocket(gateway, '/', { headers: { cookie } });
    expect(upstreams.map(({ requests }) => requests.length).toSorted((a, b) => a - b)).toEqual([0, 4]);
    for (const { headers } of upstreams.flatMap(({ requests }) => requests))
      expect(headers.cookie).toBeUndefined();
  });

  it.each(['a;b', 'a b', 'a=b', 'ä'])('cannot be named %j', async (cookie) => {
    await expect(scene({ sticky: { cookie } })).rejects.toThrow(/sticky\.cookie.*the name of a cookie/);
  });
});
