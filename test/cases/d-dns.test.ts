import { setInterval as every } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { dnsServer } from '../support/dns-server.js';
import { echoUpstream, startTestGateway, waitFor } from '../support/index.js';

describe('case 41: DNS change of an upstream name', () => {
  it('moves the traffic within the TTL while keep-alive sockets live, without an error at 10 rps', async () => {
    const old = await echoUpstream();
    const next = await echoUpstream({ host: '127.0.0.2', port: old.port });
    const dns = await dnsServer({ 'api.test': { addresses: ['127.0.0.1'], ttl: 1 } });
    const gateway = await startTestGateway({
      upstreams: {
        u: {
          backends: [{ url: `http://api.test:${old.port}` }],
          discovery: { type: 'dns', interval: '30s', servers: [dns.address] },
        },
      },
      routes: [{ path: '/', upstream: 'u' }],
    });
    const statuses: number[] = [];
    const sent: Promise<unknown>[] = [];
    const stop = new AbortController();
    const traffic = (async () => {
      try {
        for await (const _ of every(100, null, { signal: stop.signal }))
          sent.push(gateway.get('/a').then(({ status }) => statuses.push(status)));
      } catch {
        // Stopped.
      }
    })();
    await waitFor(() => old.requests.length >= 5, 'traffic to the old address');
    expect([old.openConnections > 0, next.requests.length]).toEqual([true, 0]);

    const asked = dns.asked('api.test');
    dns.set('api.test', { addresses: ['127.0.0.2'], ttl: 1 });
    await waitFor(() => next.requests.length >= 5, 'traffic to the new address');
    // The first answer after the change moved it all.
    expect(dns.asked('api.test')).toBeGreaterThan(asked);
    const atOld = old.requests.length;
    await waitFor(() => next.requests.length >= 10, 'more of it');
    expect([old.requests.length, old.openConnections]).toEqual([atOld, 0]);

    // A name that is lost keeps its last address (docs/discovery.md).
    dns.set('api.test', 'NXDOMAIN');
    await gateway.logged('discovery failed', { name: 'api.test' });
    const before = next.requests.length;
    await waitFor(() => next.requests.length >= before + 5, 'traffic without DNS');

    stop.abort();
    await traffic;
    await Promise.all(sent);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(gateway.logsWith('upstream request failed')).toEqual([]);
    expect(old.aborted + next.aborted).toBe(0);
    await untilAtRest(gateway);
  });
});
