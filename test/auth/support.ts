import { createHash } from 'node:crypto';

import { type EchoUpstream, echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';

/** A key that must show up nowhere. */
export const SECRET = 'sk-live_7f3a9c1d5e';
export const ADMIN_KEY = 'sk-admin_0b2d4f6a8c';

export const KEYS = [
  { id: 'alice', hash: sha256(SECRET), roles: ['reader'] },
  { id: 'root', key: ADMIN_KEY, roles: ['reader', 'admin'] },
];

export interface Scene {
  readonly upstream: EchoUpstream;
  readonly gateway: TestGateway;
}

/** A gateway with API keys and the route `p` at `/p` in front of an ECHO. */
export async function keyScene(
  route: object = { auth: 'api_key' },
  apiKeys: object = {},
  document: object = {},
): Promise<Scene> {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    auth: { api_keys: { keys: KEYS, ...apiKeys } },
    ...document,
    routes: [{ id: 'p', path: '/p', backends: [upstream.backend], ...route }],
  });
  return { upstream, gateway };
}

export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
