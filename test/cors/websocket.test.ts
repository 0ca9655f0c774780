import { expect, it } from 'vitest';

import { startTestGateway, type TestGateway } from '../support/index.js';
import { handshake, open, refused, type WsUpstream, wsUpstream } from '../websocket/support.js';
import { APP, EVIL } from './support.js';

async function scene(cors: unknown): Promise<{ upstream: WsUpstream; gateway: TestGateway }> {
  const upstream = await wsUpstream();
  const gateway = await startTestGateway({ routes: [{ path: '/ws', cors, backends: [upstream.backend] }] });
  return { upstream, gateway };
}

const LISTED = { origins: [APP] };

it.each([
  ['an allowed origin', LISTED, { origin: APP }],
  ['no origin, as what is no browser', LISTED, undefined],
  ['any origin, where any is allowed', {}, { origin: EVIL }],
  ['any origin, where the gateway owns no CORS', false, { origin: EVIL }],
])('opens a WebSocket for %s', async (_, cors, headers) => {
  const { gateway } = await scene(cors);
  const peer = await open(gateway, '/ws', headers ? { headers } : {});
  peer.send('hello');
  expect(await peer.message()).toBe('hello');
});

it.each([EVIL, 'null', `${APP}.evil.example`, 'http://127.0.0.1', ''])(
  'refuses one from %j: its cookies would come along',
  async (origin) => {
    const { gateway, upstream } = await scene(LISTED);
    const answer = await refused(gateway, '/ws', { headers: { origin } });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 'forbidden',
      detail: 'this origin may not open WebSockets here',
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(upstream.requests).toHaveLength(0);
  },
);

it('refuses one that names two origins', async () => {
  const { gateway, upstream } = await scene(LISTED);
  const { responses } = await gateway.raw(handshake('/ws', `Origin: ${APP}`, `Origin: ${EVIL}`));
  expect(responses[0]!.status).toBe(403);
  expect(upstream.requests).toHaveLength(0);
});
