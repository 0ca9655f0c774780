import { fileURLToPath } from 'node:url';

import { expect, it } from 'vitest';

import { startTestGateway, type TestGateway } from '../support/index.js';
import { open, refused, wsUpstream } from '../websocket/support.js';

const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));

async function gatewayWith(verdict: string): Promise<TestGateway> {
  const { backend } = await wsUpstream();
  return startTestGateway({
    extensions: [fixture('guards'), fixture('interceptors')],
    routes: [
      {
        path: '/ws',
        backends: [backend],
        guards: [{ name: 'verdict', options: { verdict } }],
        interceptors: [{ name: 'act', options: { act: 'fault' } }],
      },
    ],
  });
}

it.each(['true', 'promise of true'])('WebSockets pass a guard (%s), and interceptors by', async (verdict) => {
  const peer = await open(await gatewayWith(verdict));
  peer.send('hello');
  expect(await peer.message()).toBe('hello');
});

it.each([
  ['false', 403, 'forbidden'],
  ['refusal', 503, 'overloaded'],
  ['fault', 500, 'internal_error'],
])('WebSockets are refused by a guard (%s)', async (verdict, status, code) => {
  const answer = await refused(await gatewayWith(verdict));
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toMatchObject({ code });
});
