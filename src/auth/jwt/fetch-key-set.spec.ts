import { type Dispatcher, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { discoverKeySet, fetchKeySet } from './fetch-key-set.js';

const ISSUER = 'https://issuer.example';
const DISCOVERY = '/.well-known/openid-configuration';
const signal = new AbortController().signal;

let agent: MockAgent;
let before: Dispatcher;
beforeAll(() => {
  before = getGlobalDispatcher();
  agent = new MockAgent();
  agent.disableNetConnect();
  setGlobalDispatcher(agent);
});
afterAll(async () => {
  agent.assertNoPendingInterceptors();
  setGlobalDispatcher(before);
  await agent.close();
});

function serve(origin: string, path: string, answer: object, status = 200): void {
  agent.get(origin).intercept({ path }).reply(status, answer);
}

describe('keys over https', () => {
  it('are found where the issuer says', async () => {
    serve(ISSUER, `/tenant${DISCOVERY}`, {
      issuer: `${ISSUER}/tenant/`,
      jwks_uri: 'https://keys.example/k?v=1',
    });
    serve('https://keys.example', '/k?v=1', { keys: [] });
    expect(await discoverKeySet(`${ISSUER}/tenant/`, signal)).toEqual({ keys: [] });
  });

  it('never come over plain http', async () => {
    serve(ISSUER, DISCOVERY, { issuer: ISSUER, jwks_uri: 'http://keys.example/k' });
    await expect(discoverKeySet(ISSUER, signal)).rejects.toThrow('the discovered jwks_uri is not https');
  });

  it('never come from an issuer that is another one but for a slash', async () => {
    serve(ISSUER, DISCOVERY, { issuer: `${ISSUER}/`, jwks_uri: `${ISSUER}/k` });
    await expect(discoverKeySet(ISSUER, signal)).rejects.toThrow('the discovered issuer is another one');
  });

  it.each([204, 301, 404, 500])('never come with status %i', async (status) => {
    serve(ISSUER, '/k', { keys: [] }, status);
    await expect(fetchKeySet(`${ISSUER}/k`, signal)).rejects.toThrow(`unexpected status: ${status}`);
  });
});
