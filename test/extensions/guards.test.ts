import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';

const EXTENSIONS = [fileURLToPath(new URL('fixtures/guards.ts', import.meta.url))];

async function gatewayWith(guards: unknown[], rest: object = {}): Promise<TestGateway> {
  const { backend } = await echoUpstream();
  return startTestGateway({
    extensions: EXTENSIONS,
    routes: [{ id: 'r', path: '/a/{id}', backends: [backend], guards, ...rest }],
  });
}

const verdict = (name: string): Promise<TestGateway> =>
  gatewayWith([{ name: 'verdict', options: { verdict: name } }]);

describe('a guard of the team', () => {
  it('decides with its service and its options, and adds headers to the answer', async () => {
    const guards = [{ name: 'tenant', options: { header: 'x-who' } }];
    const gateway = await gatewayWith(guards, { metadata: { team: 'blue' } });
    const passed = await gateway.get('/a/7%2F8', { headers: { 'x-who': 'acme' } });
    expect(passed.status).toBe(200);
    expect(JSON.parse(passed.header('x-seen')!)).toEqual({
      params: { id: '7/8' },
      identity: null,
      meta: { team: 'blue' },
    });
    const refused = await gateway.get('/a/7', { headers: { 'x-who': 'nobody' } });
    expect([refused.status, refused.json()['code']]).toEqual([403, 'forbidden']);
    expect(refused.header('x-seen')).toBeDefined();
  });

  it('sees the client, the id and the parameters of the exchange on the request, also late', async () => {
    const { backend } = await echoUpstream();
    const gateway = await startTestGateway({
      server: { trusted_proxies: ['127.0.0.0/8'] },
      extensions: EXTENSIONS,
      routes: [
        {
          path: '/a/{id}',
          backends: [backend],
          guards: [{ name: 'verdict', options: { verdict: 'promise of true' } }, 'seen'],
        },
      ],
    });
    const { headers } = { headers: { 'x-forwarded-for': '203.0.113.9' } };
    const seen = (await gateway.get('/a/7%2F8', { headers })).header('x-seen');
    expect(JSON.parse(seen!)).toEqual({ own: true, ip: '203.0.113.9', params: { id: '7/8' } });
  });

  it.each(['code', 'header', 'redirect', 'send', 'status'])(
    'is told that reply.%s() changes nothing',
    async (method) => {
      const gateway = await gatewayWith([{ name: 'reply', options: { method } }]);
      expect((await gateway.get('/a/1')).json()).toMatchObject({ status: 500, code: 'internal_error' });
      const { err } = await gateway.logged('internal error');
      expect(JSON.stringify(err)).toContain(`reply.${method}() changes nothing here`);
    },
  );

  it('has the defaults of its options when the document gives none', async () => {
    const gateway = await gatewayWith(['tenant']);
    expect((await gateway.get('/a/1', { headers: { 'x-tenant': 'umbrella' } })).status).toBe(200);
    expect((await gateway.get('/a/1')).status).toBe(403);
  });

  it.each(['true', 'promise of true', 'observable of true', 'observable that goes on'])(
    'passes with %s',
    async (name) => {
      expect((await (await verdict(name)).get('/a/1')).status).toBe(200);
    },
  );

  it.each([
    ['false', 403, 'forbidden', 'forbidden'],
    ['promise of false', 403, 'forbidden', 'forbidden'],
    ['observable of false', 403, 'forbidden', 'forbidden'],
    ['nothing', 403, 'forbidden', 'forbidden'],
    ['http exception', 401, 'missing_token', 'who are you?'],
    ['odd http exception', 418, 'forbidden', 'short and stout'],
    ['refusal', 503, 'overloaded', 'come back later'],
  ])('refuses with %s', async (name, status, code, detail) => {
    const gateway = await verdict(name);
    const answer = await gateway.get('/a/1');
    expect(answer.json()).toMatchObject({ status, code, detail });
    expect(answer.header('retry-after')).toBe(name === 'refusal' ? '7' : undefined);
    await gateway.logged('request completed', { status, reason: code, route: 'r' });
    expect(gateway.logsWith('internal error')).toEqual([]);
  });

  it.each([
    ['fault', /^guard fault with secrets$/],
    ['late fault', /^late guard fault$/],
    ['junk', /^VerdictGuard must answer true or false, got object$/],
    ['promise of junk', /^VerdictGuard must answer true or false, got string$/],
    ['bad header', /^VerdictGuard added a header that cannot be sent: .*X-Bad/],
    ['bad header and refusal', /^VerdictGuard added a header that cannot be sent: .*X Bad/],
  ])('is a 500 with a log line and nothing else after a %s', async (name, message) => {
    const gateway = await verdict(name);
    const answer = await gateway.get('/a/1');
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal_error', detail: 'internal error' });
    const line = await gateway.logged('internal error', { route: 'r' });
    expect(line['err']).toMatch(message);
    expect(line['stack']).toMatch(/^\w*Error: .*\n +at /);
    expect((await gateway.get('/health')).status).toBe(200);
  });

  it('comes after the limits, in the order of the document', async () => {
    const guards = [{ name: 'count', options: { from: 10 } }, 'count', 'tenant'];
    const gateway = await gatewayWith(guards, { rate_limit: { requests: 1, per: '1h' } });
    const first = await gateway.get('/a/1', { headers: { 'x-tenant': 'acme' } });
    expect(first.headerAll('x-count')).toEqual(['11', '1']);
    const second = await gateway.get('/a/1');
    expect(second.status).toBe(429);
    expect(second.headerAll('x-count')).toEqual([]);
  });

  it('that never answers lets go of a client that leaves', async () => {
    const gateway = await verdict('never');
    const client = await gateway.connect();
    await client.write('GET /a/1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await gateway.get('/health');
    client.destroy();
    const line = await gateway.logged('request completed', { reason: 'client_closed' });
    expect([line['status'], line['attempts']]).toEqual([499, 0]);
  });
});

describe('a reload', () => {
  const document = async (guards: unknown[], rest: object = {}): Promise<object> => {
    const { backend } = await echoUpstream();
    return {
      extensions: EXTENSIONS,
      routes: [{ id: 'r', path: '/a', backends: [backend], guards, ...rest }],
    };
  };
  const counts = async (gateway: TestGateway): Promise<string[]> =>
    (await gateway.get('/a')).headerAll('x-count');

  it('keeps the instance of a use that stays as it was, and makes anew one with other options', async () => {
    const two = (from: number): unknown[] => ['count', { name: 'count', options: { from } }];
    const gateway = await startTestGateway(await document(two(10)));
    expect(await counts(gateway)).toEqual(['1', '11']);
    expect(await gateway.reload(await document(two(50), { timeout: '3s' }))).toBe(true);
    expect(await counts(gateway)).toEqual(['2', '51']);
    expect(await gateway.reload(await document(['count']))).toBe(true);
    expect(await counts(gateway)).toEqual(['3']);
    expect(await gateway.reload(await document([]))).toBe(true);
    expect(await counts(gateway)).toEqual([]);
    expect(await gateway.reload(await document(['count']))).toBe(true);
    expect(await counts(gateway)).toEqual(['1']);
  });

  it.each([
    [['cuont'], /routes\[0\]\.guards\[0\]: "cuont" is not registered, did you mean count\?/],
    [[{ name: 'count', options: { from: 'x' } }], /guards\[0\]\.options\.from: must be an integer number/],
    [
      ['broken'],
      /^test\.json:1:\d+ routes\[0\]\.guards\[0\]: the guard broken cannot be made: Error: no licence$/,
    ],
    [['lonely'], /routes\[0\]\.guards\[0\]: the guard lonely cannot be made: .*NOWHERE/s],
  ])('with %j is refused, and the old document serves on', async (guards, expected) => {
    const gateway = await startTestGateway(await document(['count']));
    expect(await gateway.reload(await document(guards))).toBe(false);
    const line = await gateway.logged('config reload failed');
    expect(line['errors']).toEqual([expect.stringMatching(expected)]);
    expect(await counts(gateway)).toEqual(['1']);
  });

  it('that lists other modules is refused by name, whatever they would register', async () => {
    const gateway = await startTestGateway(await document(['count']));
    const other = { ...(await document(['unheard-of'])), extensions: [...EXTENSIONS, './more.js'] };
    expect(await gateway.reload(other)).toBe(false);
    const line = await gateway.logged('config reload failed');
    expect(line['errors']).toEqual([
      expect.stringMatching(
        /^test\.json:1:\d+ extensions: changes only with a restart, expected those loaded: /,
      ),
    ]);
    expect(await counts(gateway)).toEqual(['1']);
  });
});
