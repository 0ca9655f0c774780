import { describe, expect, it } from 'vitest';

import { BREAKER, breakerTest, expectCircuitOpen } from '../proxy/breaker-scene.js';
import { untilAtRest } from '../support/at-rest.js';
import { echoUpstream, rawUpstream, waitFor } from '../support/index.js';

describe('case 38: recovery after an outage, with a breaker', () => {
  it('502 while it is down, then circuit_open, then 200 on the first request after the cooldown', async () => {
    const upstream = await echoUpstream();
    await upstream.stop();
    const test = await breakerTest([upstream], { ...BREAKER, failures: 5, cooldown: '1s' });
    expect(await test.statuses(5)).toEqual([502, 502, 502, 502, 502]);
    expect(expectCircuitOpen(await test.ask())).toBe(1);
    await upstream.start();
    await test.untilHalfOpen();
    expect(await test.statuses(3)).toEqual([200, 200, 200]);
    expect(test.changes).toEqual(['opened', 'half-open', 'closed']);
  });

  it('a backend that stays down is asked once in a cooldown', async () => {
    const upstream = await echoUpstream();
    await upstream.stop();
    const test = await breakerTest([upstream]);
    const wanted = ['opened', 'half-open', 'opened', 'half-open', 'opened'];
    let failed = 0;
    await waitFor(async () => {
      if ((await test.ask()).status === 502) failed++;
      return test.changes.length >= wanted.length;
    }, 'two probes');
    expect([test.changes, failed]).toEqual([wanted, 5]);
  });
});

describe('case 39: a client that leaves is no failure of the upstream', () => {
  it('20 of them leave the circuit closed and no 5xx behind', async () => {
    const upstream = await rawUpstream(async (connection) => {
      const { target } = await connection.head();
      if (target === '/last') await connection.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    });
    const test = await breakerTest([upstream]);
    const clients = await Promise.all(Array.from({ length: 20 }, () => test.gateway.connect()));
    for (const client of clients) await client.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n');
    await waitFor(() => upstream.requests.length === 20, 'all are under way');
    for (const client of clients) client.destroy();
    await waitFor(
      () => test.gateway.logsWith('request completed', { status: 499 }).length === 20,
      '20 lines',
    );
    await untilAtRest(test.gateway);
    expect(await test.circuit()).toBe('closed');
    expect(await test.gateway.metric('gateway_backend_healthy', { backend: upstream.url })).toBe(1);
    expect((await test.gateway.get('/metrics')).text).not.toMatch(/gateway_requests_total\{.*status="5/);
    expect((await test.ask('/last')).status).toBe(200);
    expect([test.changes, test.gateway.logsWith('upstream request failed')]).toEqual([[], []]);
  });
});
