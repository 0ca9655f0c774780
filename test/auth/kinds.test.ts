import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { KEYS, SECRET as KEY } from './support.js';
import { bearer, secretToken } from './tokens.js';

const SECRET = 'a secret of at least thirty-two bytes';
const GOOD = await secretToken(SECRET);
const BAD = await secretToken(`not ${SECRET}`);

const POLICIES = {
  none: 'none',
  jwt: 'jwt',
  api_key: 'api_key',
  jwt_key: ['jwt', 'api_key'],
  key_jwt: ['api_key', 'jwt'],
} as const;
type Policy = keyof typeof POLICIES;
const ORDER = Object.keys(POLICIES) as Policy[];

async function scene(): Promise<TestGateway> {
  const upstream = await echoUpstream();
  return startTestGateway({
    auth: { jwt: { algorithms: ['HS256'], secret: SECRET }, api_keys: { keys: KEYS } },
    routes: ORDER.map((id) => ({
      id: id.replace('_', '-'),
      path: `/${id}`,
      auth: POLICIES[id],
      backends: [upstream.backend],
    })),
  });
}

const TOKENS = { absent: {}, bad: bearer(BAD), good: bearer(GOOD) };
const API_KEYS = { absent: {}, bad: { 'x-api-key': 'wrong' }, good: { 'x-api-key': KEY } };

/** What each policy answers to a token and a key, in the order of POLICIES. */
const TABLE: readonly [token: keyof typeof TOKENS, key: keyof typeof API_KEYS, ...outcomes: string[]][] = [
  ['absent', 'absent', 'ok', 'missing_token', 'invalid_api_key', 'missing_token', 'missing_token'],
  ['absent', 'bad', 'ok', 'missing_token', 'invalid_api_key', 'invalid_api_key', 'invalid_api_key'],
  ['absent', 'good', 'ok', 'missing_token', 'ok', 'ok', 'ok'],
  ['bad', 'absent', 'ok', 'invalid_token', 'invalid_api_key', 'invalid_token', 'invalid_token'],
  ['bad', 'bad', 'ok', 'invalid_token', 'invalid_api_key', 'invalid_token', 'invalid_api_key'],
  ['bad', 'good', 'ok', 'invalid_token', 'ok', 'ok', 'ok'],
  ['good', 'absent', 'ok', 'ok', 'invalid_api_key', 'ok', 'ok'],
  ['good', 'bad', 'ok', 'ok', 'invalid_api_key', 'ok', 'ok'],
  ['good', 'good', 'ok', 'ok', 'ok', 'ok', 'ok'],
];
const CHALLENGE: Readonly<Record<string, string>> = {
  missing_token: 'Bearer',
  invalid_token: 'Bearer error="invalid_token"',
  invalid_api_key: 'ApiKey header="x-api-key"',
};

describe('every kind of auth, with every credential', () => {
  it.each(TABLE)('token %s, key %s', async (token, key, ...outcomes) => {
    const gateway = await scene();
    const headers = { ...TOKENS[token], ...API_KEYS[key] };
    for (const [at, id] of ORDER.entries()) {
      const answer = await gateway.get(`/${id}`, { headers });
      const code = answer.json()['code'] ?? 'ok';
      expect([id, code, answer.status]).toEqual([id, outcomes[at], code === 'ok' ? 200 : 401]);
      expect(answer.header('www-authenticate')).toBe(CHALLENGE[code as string]);
    }
  });
});
