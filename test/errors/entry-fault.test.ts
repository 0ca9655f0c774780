import { expect, it, vi } from 'vitest';

import { GatewayEntry } from '../../src/proxy/gateway-entry.js';
import { echoUpstream, startTestGateway } from '../support/index.js';

it('a fault of the entry itself costs that request a 500 and nothing else', async () => {
  const echo = await echoUpstream();
  const gateway = await startTestGateway({ routes: [{ path: '/a', backends: [echo.backend] }] });
  vi.spyOn(GatewayEntry.prototype, 'enter').mockImplementationOnce(() => {
    throw new Error('a fault');
  });
  const answer = await gateway.get('/a');
  expect(answer.status).toBe(500);
  expect(String(answer.body)).not.toContain('a fault');
  expect((await gateway.get('/a')).status).toBe(200);
  expect((await gateway.get('/health')).status).toBe(200);
});
