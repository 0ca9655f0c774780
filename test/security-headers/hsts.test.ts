import { request as httpsRequest } from 'node:https';

import { expect, it } from 'vitest';

import { echoUpstream } from '../support/index.js';
import { EC, tlsAgent, tlsGateway } from '../tls/support.js';

it('HSTS stands on answers over TLS, of upstreams and of the gateway itself', async () => {
  const upstream = await echoUpstream();
  const gateway = await tlsGateway(EC, upstream);
  const agent = tlsAgent();
  const hsts = (path: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', servername: 'localhost', port: gateway.port, path, agent };
      httpsRequest(options, (response) => {
        response.resume();
        resolve(response.headers['strict-transport-security']);
      })
        .on('error', reject)
        .end();
    });
  expect(await hsts('/p')).toBe('max-age=31536000; includeSubDomains');
  expect(await hsts('/%00')).toBe('max-age=31536000; includeSubDomains');
  expect(await hsts('/health')).toBe('max-age=31536000; includeSubDomains');
  upstream.headers = { 'strict-transport-security': 'max-age=0' };
  expect(await hsts('/p')).toBe('max-age=0');
});
