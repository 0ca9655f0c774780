import { describe, expect, it } from 'vitest';

import { ConfigError, parseConfig } from '../loader.js';

function faultsOf(keys: object, document: object = {}): string[] {
  const route = { path: '/{id}', backends: [{ url: 'http://h' }], ...keys };
  try {
    parseConfig(JSON.stringify({ ...document, routes: [route] }), {
      file: 'f.json',
      format: 'json',
      env: {},
      unavailable: {},
    });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, message }) => `${path.replace('routes[0].', '')}: ${message}`);
  }
}

const headers = (edits: object): object => ({ transform: { request: { headers: edits } } });
const response = (edits: object): object => ({ transform: { response: { headers: edits } } });
const status = (from: number, to: number): object => ({
  transform: { response: { status: [{ from, to }] } },
});
const OWN = 'names a header that the gateway writes itself, expected another one';

describe('transform', () => {
  it.each([
    'Content-Length',
    'transfer_encoding',
    'X-Forwarded-Prefix',
    'x-request-id',
    'Sec-WebSocket-Key',
    'TE',
  ])('refuses %s in requests wherever it stands', (name) => {
    const edits = {
      set: { [name]: '1' },
      add: { [name]: '1' },
      remove: [name],
      replace: [{ name, pattern: 'a', replacement: 'b' }],
    };
    const at = 'transform.request.headers.';
    expect(faultsOf(headers(edits))).toEqual([
      `${at}set.${name}: ${OWN}`,
      `${at}add.${name}: ${OWN}`,
      `${at}remove[0]: ${OWN}`,
      `${at}replace[0].name: ${OWN}`,
    ]);
  });

  it('sends who wants another Host to host_header', () => {
    expect(faultsOf(headers({ set: { host: 'x' } }))).toEqual([
      'transform.request.headers.set.host: names Host, which frames the request; expected host_header of the upstream instead',
    ]);
  });

  it('refuses the name of the request id, and those of identities', () => {
    expect(faultsOf(headers({ remove: ['X-Trace'] }), { request_id: { header: 'x-trace' } })).toHaveLength(1);
    const auth = { jwt: { secret: 's'.repeat(32), algorithms: ['HS256'], forward: { sub: 'x-subject' } } };
    expect(faultsOf(headers({ set: { 'X-Subject': 'me' } }), { auth })).toHaveLength(1);
  });

  it.each(['Content-Encoding', 'content-range', 'X-Cache', 'connection', 'x-gateway-proxy'])(
    'refuses %s in responses',
    (name) => {
      expect(faultsOf(response({ set: { [name]: '1' }, remove: [name] }))).toHaveLength(2);
    },
  );

  it('refuses names that are none, and the same name twice', () => {
    expect(faultsOf(headers({ set: { 'a b': '1', 'x-a': '1', X_A: '2' } }))).toEqual([
      'transform.request.headers.set["a b"]: is not a header name, expected a token (RFC 9110 §5.6.2)',
      'transform.request.headers.set.X_A: names the same header as x-a, expected each once',
    ]);
  });

  it.each([
    [100, 200],
    [304, 200],
    [206, 200],
    [404, 204],
    [404, 304],
    [404, 101],
  ])('refuses to make a %i a %i', (from, to) => {
    expect(faultsOf(status(from, to))).toHaveLength(1);
  });

  it('refuses two meanings of one status', () => {
    const twice = [
      { from: 404, to: 200 },
      { from: 404, to: 410 },
    ];
    expect(faultsOf({ transform: { response: { status: twice } } })).toEqual([
      'transform.response.status[1].from: 404 is mapped already, expected each status once',
    ]);
  });

  it('refuses what would tell a client of another one through the cache', () => {
    const edits = response({
      set: { a: '{client_ip}', b: '{id}' },
      add: { c: '{request_id}', d: '{identity.sub}' },
    });
    expect(faultsOf({ ...edits, cache: {} })).toHaveLength(3);
    expect(faultsOf({ ...edits, cache: { key: { identity: true } } })).toHaveLength(2);
    expect(faultsOf(edits)).toEqual([]);
  });

  it('takes regular expressions that are safe alone', () => {
    const replace = [{ name: 'a', pattern: '(a+)+$', replacement: '' }];
    expect(faultsOf(headers({ replace }))[0]).toContain('can take exponential time');
  });
});
