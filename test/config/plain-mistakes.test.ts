import { describe, expect, it } from 'vitest';

import { ConfigError } from '../../src/config/errors.js';
import { parseConfig } from '../../src/config/loader.js';
import { configWarnings } from '../../src/config/warnings.js';

/** What is wrong with a document, without the file; empty = nothing. */
function issues(document: object, route: object = {}): string[] {
  const routes = [{ path: '/', backends: [{ url: 'http://h' }], ...route }];
  try {
    parseConfig(JSON.stringify({ routes, ...document }), { file: 'g.json', format: 'json', env: {} });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('mistakes that are refused at load', () => {
  const expiring = (expires: string): object => ({
    auth: { api_keys: { keys: [{ id: 'a', key: 'k', expires }] } },
  });

  it.each(['2027-02-31', '2027-04-31T00:00:00Z', '2026-02-29', '2027-00-01', '2027-01-32'])(
    'a day that there is none of: %s',
    (day) => expect(issues(expiring(day))).toEqual([expect.stringMatching(/\.expires: .*is (no|a) day/)]),
  );

  it.each(['2028-02-29', '2027-12-31', '2027-01-01T00:30:00+02:00', '2027-01-31T23:59:59-05:00'])(
    'but no other: %s',
    (day) => expect(issues(expiring(day))).toEqual([]),
  );

  it.each([
    'host',
    'Authorization',
    'transfer-encoding',
    'Connection',
    'content-length',
    'upgrade',
    'te',
    'cookie',
    'X-Forwarded-For',
    'x_forwarded_for',
    'X-Real-IP',
    'x-request-id',
    'x-gateway-version',
    'X-User-Id',
  ])('keys in a header with a meaning of its own: %s', (header) => {
    const jwt = { algorithms: ['HS256'], secret: 's'.repeat(32) };
    expect(issues({ auth: { jwt, api_keys: { header } } })).toEqual([
      `auth.api_keys.header: "${header}" has a meaning of its own, expected another header`,
    ]);
  });

  it('entries of the cache that are larger than all of it', () => {
    expect(issues({ cache: { max_size: '1mb', max_entry_size: '2mb' } })).toEqual([
      'cache.max_entry_size: "2mb" is too large, expected at most max_size ("1mb")',
    ]);
    expect(issues({ cache: { max_size: '1mb', max_entry_size: '1mb' } })).toEqual([]);
  });

  it('a schema given twice, or not at all', () => {
    expect(issues({}, { validate: { body: { schema: true, schema_file: 'package.json' } } })).toEqual([
      'routes[0].validate.body: has both schema and schema_file, expected one of them',
    ]);
    expect(issues({}, { validate: { body: {} } })).toEqual([
      'routes[0].validate.body: has none of schema and schema_file, expected one of them',
    ]);
  });

  it('schemas of headers by names that no header has', () => {
    const schema = { type: 'object', properties: { x_role: { type: 'string' } } };
    expect(issues({}, { validate: { headers: { schema } } })).toEqual([
      'routes[0].validate.headers.schema: names the header x_role, expected x-role: lower case, and - for _',
    ]);
  });

  it.each(['compression', 'cors'])('%s: true, saying all that may stand there', (key) => {
    expect(issues({}, { [key]: true })).toEqual([
      `routes[0].${key}: true is not known, expected inherit, or false, or a map`,
    ]);
  });
});

describe('warnings of keys that do nothing', () => {
  const warnings = (document: object, route: object = {}): string[] => {
    const routes = [{ path: '/', backends: [{ url: 'http://h' }], ...route }];
    const text = JSON.stringify({ routes, ...document });
    const config = parseConfig(text, { file: 'g.json', format: 'json', env: {} });
    return configWarnings(config).map(({ path, message }) => `${path}: ${message}`);
  };
  const limit = { requests: 1, per: '1s', burst: 5 };

  it.each(['sliding_window', 'fixed_window'])('burst beside %s', (algorithm) => {
    const message = `does nothing beside algorithm: ${algorithm}; it is the capacity of a token_bucket`;
    expect(warnings({}, { rate_limit: { ...limit, algorithm } })).toEqual([
      `routes[0].rate_limit.burst: ${message}`,
    ]);
    expect(warnings({ rate_limit_global: { ...limit, algorithm } })).toEqual([
      `rate_limit_global.burst: ${message}`,
    ]);
  });

  it('no keys at all, and no addresses', () => {
    expect(warnings({ auth: { api_keys: {} } })).toEqual([
      'auth.api_keys.keys: holds no key: every route with auth: api_key refuses all',
    ]);
    expect(warnings({}, { ip: {} })).toEqual(['routes[0].ip: names no address: everybody may pass']);
  });

  it('but none of what does something', () => {
    const auth = { api_keys: { keys: [{ id: 'a', key: 'k', rate_limit: limit }] } };
    expect(
      warnings({ auth, rate_limit_per_user: { ...limit, by: 'ip' } }, { ip: { deny: ['10.0.0.1'] } }),
    ).toEqual([]);
  });
});
