import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway, waitFor } from '../support/index.js';

async function gatewayOn(
  rest: object = {},
): Promise<{ gateway: TestGateway; document: (more: object) => object }> {
  const { backend } = await echoUpstream();
  const document = (more: object): object => ({
    ...more,
    routes: [{ id: 'a', path: '/a', backends: [backend] }],
  });
  return { gateway: await startTestGateway(document(rest)), document };
}

describe('a reload of the log settings', () => {
  it('switches level, access log and redaction, and a refused document switches nothing', async () => {
    const { gateway, document } = await gatewayOn();
    const seen = async (path: string): Promise<unknown[]> => {
      const before = gateway.logsWith('request completed').length;
      await gateway.get(path);
      // The line of a request is written before the next one of the connection begins.
      await gateway.get('/health/live');
      return gateway
        .logsWith('request completed')
        .slice(before)
        .map((line) => line['path']);
    };
    expect(await seen('/a?pin=1')).toEqual(['/a?pin=1']);
    await gateway.reload(document({ logging: { redact_query: ['pin'] } }));
    expect(await seen('/a?pin=2')).toEqual(['/a?pin=[redacted]']);
    expect(await gateway.reload(document({ logging: { access_log: false }, metrics: { path: '/m' } }))).toBe(
      false,
    );
    expect(await seen('/a?pin=3')).toEqual(['/a?pin=[redacted]']);
    await gateway.reload(document({ logging: { access_log: false } }));
    expect(await seen('/a')).toEqual([]);
    await gateway.reload(document({ logging: { level: 'error' } }));
    expect(await seen('/a')).toEqual([]);
    expect(await gateway.reload(document({}))).toBe(true);
    expect(await seen('/a')).toEqual(['/a']);
    // At level error a reload that succeeds is not told of.
    expect(gateway.logsWith('config reloaded').map((line) => line['version'])).toEqual([2, 3, 5]);
  });
});

describe('what needs a restart', () => {
  it.each([
    [{ server: { port: 9999 } }, 'server.port'],
    [{ port: 9999 }, 'server.port'],
    [{ server: { host: '::1' } }, 'server.host'],
    [{ server: { max_header_size: '32kb' } }, 'server.max_header_size'],
    [{ admin: { port: 9999 } }, 'admin.port'],
    [{ admin: { allow_from: ['10.0.0.0/8'], token: 'abc' } }, 'admin.allow_from, admin.token'],
    [{ logging: { format: 'pretty' } }, 'logging.format'],
    [{ metrics: { enabled: false } }, 'metrics.enabled'],
    [{ metrics: { path: '/m', buckets: [1] } }, 'metrics.path, metrics.buckets'],
  ])('%j is refused, naming it, and nothing else of the document is taken over', async (change, names) => {
    const { gateway, document } = await gatewayOn();
    const next = {
      ...document({}),
      ...change,
      routes: [{ id: 'b', path: '/b', backends: [{ url: 'http://127.0.0.1:9' }] }],
    };
    expect(await gateway.reload(next)).toBe(false);
    const line = await gateway.logged('config reload failed');
    expect(line).toMatchObject({ level: 'ERROR', version: 1 });
    const errors = line['errors'] as string[];
    expect(errors.map((error) => error.replace(/^test\.json:1:\d+ /, ''))).toEqual(
      names
        .split(', ')
        .map(
          (name) =>
            `${name}: differs from what runs and changes only with a restart, expected the same as before`,
        ),
    );
    // At the key's value, which does not begin the document.
    for (const error of errors) expect(error).toMatch(/^test\.json:1:\d\d+ /);
    expect([(await gateway.get('/a')).status, (await gateway.get('/b')).status]).toEqual([200, 404]);
    expect(await gateway.metric('gateway_config_last_reload_successful')).toBe(0);
    expect(await gateway.metric('gateway_config_version')).toBe(1);
  });
});

describe('what is told of a reload', () => {
  it('is what was added, changed and removed, and the gauges', async () => {
    const { backend } = await echoUpstream();
    const route = (id: string, timeout = '5s'): object => ({ id, path: `/${id}`, timeout, upstream: 'u' });
    const upstreams = { u: { backends: [backend] } };
    const gateway = await startTestGateway({ upstreams, routes: [route('a'), route('b'), route('c')] });
    expect(await gateway.metric('gateway_config_last_reload_successful')).toBe(1);
    await gateway.reload({
      upstreams: { ...upstreams, v: { backends: [backend] } },
      routes: [route('a'), route('b', '6s'), route('d')],
    });
    expect(await gateway.logged('config reloaded')).toMatchObject({
      level: 'INFO',
      version: 2,
      added: ['d', 'upstream:v'],
      changed: ['b'],
      removed: ['c'],
    });
    await gateway.reload({ routes: [route('a')] });
    const failed = await gateway.logged('config reload failed');
    expect(failed).toMatchObject({ level: 'ERROR', version: 2 });
    expect(failed['errors']).toEqual([expect.stringMatching(/^test\.json:1:\d+ routes\[0\]\.upstream: /)]);
    expect(await gateway.metric('gateway_config_last_reload_successful')).toBe(0);
    expect(await gateway.metric('gateway_config_version')).toBe(2);
    // What says the same as the snapshot in force changes nothing, but is a success.
    await gateway.reload({
      upstreams: { u: upstreams.u, v: upstreams.u },
      routes: [route('a'), route('b', '6s'), route('d')],
    });
    expect(gateway.logsWith('config reloaded').at(-1)).toMatchObject({
      version: 3,
      added: [],
      changed: [],
      removed: [],
      document: [],
    });
    expect(await gateway.metric('gateway_config_last_reload_successful')).toBe(1);
  });

  it('names the keys of the document that changed, beside what routes and upstreams inherit', async () => {
    const { gateway, document } = await gatewayOn();
    await gateway.reload(
      document({
        rate_limit_global: { requests: 5, per: '1s' },
        cache: { max_size: '32mb' },
        server: { body_timeout: '9s' },
        health_check: { type: 'tcp' },
      }),
    );
    expect(await gateway.logged('config reloaded')).toMatchObject({
      changed: ['upstream:a'],
      document: ['server', 'rate_limit_global', 'cache'],
    });
  });

  it('is one line for those who ask while one waits', async () => {
    const { gateway, document } = await gatewayOn();
    const results = await Promise.all(Array.from({ length: 50 }, () => gateway.reload(document({}))));
    expect(new Set(results)).toEqual(new Set([true]));
    expect(gateway.logsWith('config reloaded').length).toBeLessThanOrEqual(2);
  });
});

describe('a reload during the stop', () => {
  it('is refused, and the stop goes on', async () => {
    const upstream = await echoUpstream();
    upstream.delayMs = 300;
    const routes = [{ id: 'a', path: '/a', backends: [upstream.backend] }];
    const gateway = await startTestGateway({ routes });
    const slow = gateway.get('/a', { agent: false });
    await waitFor(() => upstream.started, 'the request is there');
    const stopped = gateway.stop();
    expect(await gateway.reload({ routes: [{ ...routes[0], id: 'b' }] })).toBe(false);
    expect((await slow).status).toBe(200);
    await stopped;
    expect(gateway.logsWith('config reload failed')[0]!['errors']).toEqual(['the gateway is stopping']);
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ drained: 1, cut: 0 });
  });

  it('that came before with another grace period decides how long it takes', async () => {
    const upstream = await echoUpstream();
    upstream.delayMs = 20_000;
    const document = (grace_period: string): object => ({
      server: { shutdown: { grace_period } },
      routes: [{ id: 'a', path: '/a', backends: [upstream.backend] }],
    });
    const gateway = await startTestGateway(document('20s'));
    await gateway.reload(document('100ms'));
    const cut = gateway.get('/a', { agent: false }).catch((error: Error) => error.message);
    await waitFor(() => upstream.started, 'the request is there');
    await gateway.stop();
    expect(await cut).toMatch(/hang up|ECONNRESET/);
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ cut: 1 });
  });
});
