import { expect, it } from 'vitest';

import { echoUpstream, startTestGateway } from '../support/index.js';

it('two stages of limits share their fields, also where CORS exposes one of these by name', async () => {
  const { backend } = await echoUpstream();
  const gateway = await startTestGateway({
    rate_limit_per_upstream: { requests: 100, per: '1m' },
    routes: [
      {
        path: '/a',
        backends: [backend],
        rate_limit: { requests: 50, per: '1m' },
        cors: { origins: ['https://a.example'], expose: ['RateLimit-Policy'] },
      },
    ],
  });
  const answer = await gateway.get('/a', { headers: { origin: 'https://a.example' } });
  expect(answer.status).toBe(200);
  expect(answer.header('access-control-expose-headers')).toBe('RateLimit-Policy');
  expect(answer.headerAll('ratelimit-policy')).toEqual([expect.stringMatching(/q=50;w=60.*, .*q=100;w=60/)]);
});
