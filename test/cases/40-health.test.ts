import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, waitFor } from '../support/index.js';

const FAST = { interval: '200ms', timeout: '190ms', healthy_threshold: 2, unhealthy_threshold: 2 };
const ROUTE = { id: 'u', path: '/', upstream: 'u' };

async function setUp(upstream: object = {}) {
  const backends = [await echoUpstream(), await echoUpstream()] as const;
  const gateway = await startTestGateway({
    health_check: FAST,
    upstreams: { u: { backends: backends.map(({ url }) => ({ url })), ...upstream } },
    routes: [ROUTE],
  });
  return { backends, gateway };
}

describe('case 40: health state, thresholds, all down, and back', () => {
  it('writes what it begins', async () => {
    const { gateway } = await setUp();
    const line = await gateway.logged('health checker started');
    expect(line).toMatchObject({
      level: 'INFO',
      backends: 2,
      path: '/health',
      interval: '200ms',
      timeout: '190ms',
    });
  });

  it('turns a backend once, leaves it out, and takes it back', async () => {
    const { gateway, backends } = await setUp();
    const [bad, good] = backends;
    const fields = { backend: bad.url, upstream: 'u' };
    bad.healthStatus = 500;
    const line = await gateway.logged('backend became unhealthy', fields);
    expect(line).toMatchObject({ level: 'WARN', err: 'unhealthy status: 500' });
    const before = bad.requests.length;
    for (let n = 0; n < 6; n++) expect((await gateway.get('/x')).status).toBe(200);
    expect([bad.requests.length - before, good.requests.length]).toEqual([0, 6]);
    expect(await gateway.metric('gateway_backend_healthy', fields)).toBe(0);
    bad.healthStatus = 200;
    expect(await gateway.logged('backend recovered', fields)).toMatchObject({ level: 'INFO' });
    expect(await gateway.metric('gateway_backend_healthy', fields)).toBe(1);
    const probes = bad.probes;
    await waitFor(() => bad.probes > probes + 2, 'further probes');
    expect(gateway.logsWith('backend became unhealthy')).toHaveLength(1);
    expect(gateway.logsWith('backend recovered')).toHaveLength(1);
  });

  it('answers 503 at once while all are down, and serves again after they came back', async () => {
    const { gateway, backends } = await setUp({ critical: true });
    for (const backend of backends) await backend.stop();
    for (const { url } of backends) await gateway.logged('backend became unhealthy', { backend: url });
    const begun = performance.now();
    const answer = await gateway.get('/x');
    expect(performance.now() - begun).toBeLessThan(500);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.text)).toMatchObject({
      code: 'no_healthy_backend',
      error: 'no healthy backend',
    });
    const health = await gateway.get('/health');
    expect(health.status).toBe(503);
    expect(JSON.parse(health.text)).toMatchObject({
      status: 'error',
      error: { u: { status: 'down', healthy: 0, total: 2 } },
    });
    await backends[0].start();
    await gateway.logged('backend recovered', { backend: backends[0].url });
    expect((await gateway.get('/x')).status).toBe(200);
    expect((await gateway.get('/health')).status).toBe(200);
  });
});

describe('case 38: recovery after an outage of the upstream', () => {
  it('answers 502 while it is refused and nobody probes, then 200 without a restart', async () => {
    const upstream = await echoUpstream();
    await upstream.stop();
    const gateway = await startTestGateway({
      routes: [{ id: 'r', path: '/', backends: [{ url: upstream.url }] }],
    });
    for (let n = 0; n < 5; n++) expect((await gateway.get('/x')).status).toBe(502);
    await upstream.start();
    expect((await gateway.get('/x')).status).toBe(200);
  });
});

describe('case 15: IPv6 literal upstream', () => {
  it('is probed and served under its own Host', async () => {
    const upstream = await echoUpstream({ host: '::1' });
    const gateway = await startTestGateway({
      health_check: { unhealthy_threshold: 1 },
      routes: [{ id: 'r', path: '/', backends: [{ url: upstream.url }] }],
    });
    await waitFor(() => upstream.probes, 'the first probe');
    expect((await gateway.get('/x')).status).toBe(200);
    expect(upstream.last!.rawHeaders.join(' ')).toContain(`[::1]:${upstream.port}`);
    expect(gateway.logsWith('backend became unhealthy')).toEqual([]);
  });
});
