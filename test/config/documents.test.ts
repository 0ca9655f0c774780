import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { GatewayConfig } from '../../src/config/gateway.config.js';
import { ConfigError, loadConfig, type ParseOptions, parseConfig } from '../../src/config/loader.js';
import { masked } from '../../src/config/secrets.js';
import { configWarnings } from '../../src/config/warnings.js';

const yaml = (text: string, options: Partial<ParseOptions> = {}): GatewayConfig =>
  parseConfig(text, { file: 'g.yml', format: 'yaml', env: {}, ...options });
const json = (document: unknown, options: Partial<ParseOptions> = {}): GatewayConfig =>
  parseConfig(JSON.stringify(document), { file: 'g.json', format: 'json', env: {}, ...options });
const issuesOf = (run: () => unknown): string[] => {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(String);
  }
};
const backends = [{ url: 'http://h' }];
const route = { path: '/a', backends };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'nexus-config-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

// The first source document's own example.
const EXAMPLE = `port: 8080

health_check:
  path: /health
  interval: 5s
  timeout: 2s
  healthy_threshold: 2
  unhealthy_threshold: 3
  expected_status: 200

routes:
  - path: /api/users
    methods: [GET, POST]
    strip_prefix: true
    timeout: 10s
    backends:
      - url: http://localhost:8081
    rate_limit:
      requests: 100
      per: 1m

  - path: /api/orders
    methods: [GET]
    strip_prefix: true
    timeout: 5s
    backends:
      - url: http://localhost:8082
    rate_limit:
      requests: 50
      per: 1m
`;

describe('the smallest document', () => {
  it('loads from a file as YAML and as JSON, to the same result', () => {
    writeFileSync(join(directory, 'a.yml'), EXAMPLE);
    writeFileSync(join(directory, 'a.json'), JSON.stringify(parse(EXAMPLE), null, '\t'));
    const one = loadConfig(join(directory, 'a.yml'), {});
    expect(loadConfig(join(directory, 'a.json'), {})).toEqual(one);
    expect(one.routes.map(({ id, upstream, timeout }) => [id, upstream, timeout])).toEqual([
      ['get-post-api-users', 'get-post-api-users', '10s'],
      ['get-api-orders', 'get-api-orders', '5s'],
    ]);
    expect(one.upstreams['get-api-orders']?.backends).toEqual([
      { id: 'http://localhost:8082', url: 'http://localhost:8082', weight: 1 },
    ]);
    expect(one.upstreams['get-api-orders']?.health_check).toMatchObject({ path: '/health', interval: '5s' });
    expect(one.routes[0]?.rate_limit).toMatchObject([{ requests: 100, per: '1m', burst: null, by: 'ip' }]);
  });

  it('gets the documented defaults', () => {
    const config = json({ routes: [route] });
    expect(config.server).toMatchObject({ host: '0.0.0.0', port: 8080, max_body_size: '10mb' });
    expect(config.admin).toMatchObject({ enabled: true, host: '127.0.0.1', port: 9090, token: null });
    expect(config.routes[0]).toMatchObject({ id: 'any-a', methods: null, auth: 'none', timeout: '30s' });
    expect(config.upstreams['any-a']).toMatchObject({ health_check: null, balancing: 'round_robin' });
  });

  it('is frozen to its last value', () => {
    const config = json({ health_check: {}, routes: [{ ...route, metadata: { a: [{ b: 1 }] } }] });
    const open: string[] = [];
    const look = (at: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(at);
      for (const [key, item] of Object.entries(value)) look(`${at}.${key}`, item);
    };
    look('config', config);
    expect(open).toEqual([]);
    expect(() => config.routes.push(config.routes[0]!)).toThrow(TypeError);
  });
});

describe('a file', () => {
  it('that is missing is an error of the document', () => {
    expect(issuesOf(() => loadConfig(join(directory, 'none.yml')))).toEqual([
      `${join(directory, 'none.yml')}:1:1 document: cannot be read (ENOENT), expected a YAML or JSON document`,
    ]);
  });

  it('may begin with a byte order mark and end its lines as Windows does', () => {
    expect(yaml(`\uFEFF${EXAMPLE.replaceAll('\n', '\r\n')}`).routes).toHaveLength(2);
    expect(issuesOf(() => yaml(`\uFEFFprot: 1\r\n${JSON.stringify({ routes: [route] })}`))[0]).toContain(
      'g.yml:1:1',
    );
  });
});

describe('YAML so deep that its parser has no stack left', () => {
  it.each([
    ['lists in brackets', `routes: ${'['.repeat(20_000)}`],
    ['maps in braces', `routes: ${'{a: '.repeat(20_000)}`],
    ['lists of dashes', `routes:\n  ${'- '.repeat(20_000)}x`],
  ])('is refused with the place: %s', (_, text) => {
    const [issue = '', ...more] = issuesOf(() => parseConfig(text, { file: 'g', format: 'yaml', env: {} }));
    expect(issue).toMatch(/^g:[12]:\d+ document: is nested too deeply, expected at most 64 levels$/);
    expect(more.filter((line) => line.includes('stack'))).toEqual([]);
  });
});

describe('JSON', () => {
  it.each([
    ['{"routes": [],}', 'g:1:15 document: is not JSON, expected a key in double quotes'],
    ['{// no\n}', 'g:1:2 document: is not JSON, expected a key in double quotes'],
    ['{"port": 1', 'g:1:11 document: is not JSON, expected , or }'],
    ['{"port": 01}', 'g:1:11 document: is not JSON, expected , or }'],
    [
      '{"port": "a\nb"}',
      'g:1:10 document: is not a JSON string, expected closed quotes, known escapes and no line break',
    ],
    ['{"port": 1} x', 'g:1:13 document: the document goes on after its end, expected nothing more'],
    ["{'port': 1}", 'g:1:2 document: is not JSON, expected a key in double quotes'],
    ['', 'g:1:1 document: is empty, expected a map with at least `routes`'],
    ['[]', 'g:1:1 document: is a list, expected a map with at least `routes`'],
    ['['.repeat(100), 'g:1:66 document: is nested too deeply, expected at most 64 levels'],
  ])('%j is refused', (text, expected) => {
    expect(issuesOf(() => parseConfig(text, { file: 'g', format: 'json', env: {} }))).toEqual([expected]);
  });

  it('names line and column, and sees a key that stands twice', () => {
    const text = '{\n\t"port": "8080",\n\t"port": 1,\n\t"routes": [{"path": "/a", "upstream": 1}]\n}';
    expect(issuesOf(() => parseConfig(text, { file: 'g', format: 'json', env: {} }))).toEqual([
      'g:2:10 port: "8080" is a text, expected an integer from 1 to 65535: write 8080 without quotes',
      'g:3:2 port: is written twice in this map, expected once',
      'g:4:40 routes[0].upstream: 1 is a number, expected letters, digits, - _ and . (at most 128)',
    ]);
  });
});

describe('all errors are listed in one run', () => {
  it('in the order of the text, of every layer', () => {
    const text = `prot: 1
health_check: {interval: 1s}
routes:
  - path: /a
    timeout: 30
    upstream: nobody
  - path: /health
    backends: [{url: "ftp://x"}]
    rate_limit: {requests: 1, per: 1m, by: user}
`;
    expect(issuesOf(() => yaml(text)).map((line) => line.split(': ')[0])).toEqual([
      'g.yml:1:1 prot',
      'g.yml:2:26 health_check.interval',
      'g.yml:5:14 routes[0].timeout',
      'g.yml:6:15 routes[0].upstream',
      'g.yml:7:11 routes[1].path',
      'g.yml:8:22 routes[1].backends[0].url',
      'g.yml:9:44 routes[1].rate_limit.by',
    ]);
  });

  it('with syntax errors beside what stands before them', () => {
    const text = 'port: "1"\nprot: 1\nroutes: [}\nmore: 1\n';
    expect(issuesOf(() => yaml(text)).map((line) => line.split(': ')[0])).toEqual([
      'g.yml:1:7 port',
      'g.yml:2:1 prot',
      'g.yml:3:10 document',
    ]);
  });
});

describe('references', () => {
  it('stand for variables, defaults and files, in texts, numbers and flags', () => {
    writeFileSync(join(directory, 'secret'), 'from-file\n');
    const text = `port: \${PORT}
admin: {token: "\${file:secret}", host: "\${HOST:-127.0.0.1}"}
logging: {access_log: "\${LOG}", level: "\${LEVEL:-debug}"}
server: {max_body_size: "\${BODY:-0}"}
health_check: {expected_status: "\${STATUS}"}
routes:
  - path: /\${NAME}/x
    backends: [{url: "http://\${NAME}:\${PORT}"}]
    metadata: {literal: "$\${NAME}", empty: "\${EMPTY}", fallback: "\${EMPTY:-x}"}
`;
    const env = { PORT: '8181', LOG: 'false', NAME: 'users', EMPTY: '', STATUS: '204' };
    const config = yaml(text, { env, file: join(directory, 'g.yml') });
    expect(config.server).toMatchObject({ port: 8181, max_body_size: 0 });
    expect(config.admin).toMatchObject({ token: 'from-file', host: '127.0.0.1' });
    expect(config.logging).toMatchObject({ access_log: false, level: 'debug' });
    expect(config.routes[0]).toMatchObject({
      path: '/users/x',
      metadata: { literal: '${NAME}', empty: '', fallback: 'x' },
    });
    expect(config.upstreams['any-users-x']).toMatchObject({
      backends: [{ url: 'http://users:8181' }],
      health_check: { expected_status: 204 },
    });
  });

  it('are not looked for in what they stand for', () => {
    const env = { A: '${B}', B: 'no' };
    expect(json({ admin: { token: '${A}' }, routes: [route] }, { env }).admin.token).toBe('${B}');
  });

  it('that are missing are all named, each with its key', () => {
    const document = {
      admin: { token: '${A}' },
      routes: [{ ...route, timeout: '${B}', metadata: { x: ['${C}'] } }],
    };
    expect(issuesOf(() => json(document)).map((line) => line.replace(/^\S+ /, ''))).toEqual([
      'admin.token: the variable A is not set, expected it in the environment',
      'routes[0].timeout: the variable B is not set, expected it in the environment',
      'routes[0].metadata.x[0]: the variable C is not set, expected it in the environment',
    ]);
  });

  it('never lead to an error that shows their value, nor do secrets', () => {
    const env = { V: 'hush-hush' };
    const document = {
      port: '${V}',
      server: { host: '${V} x', trusted_proxies: ['${V}'], tls: { cert_file: '${V}', key_file: '${V}' } },
      admin: { token: 5 },
      auth: { jwt: { algorithms: ['${V}'], secret: 'hush-hush' } },
      upstreams: { u: { backends: [{ url: '${V}' }], connection: { proxy: 'hush-hush' } } },
      routes: [
        { path: '${V}', upstream: '${V}', headers: { a: '/(${V}/' }, guards: ['${V}'], hosts: ['${V}:1'] },
      ],
    };
    const lines = issuesOf(() => json(document, { env, registered: { guards: [], interceptors: [] } }));
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.join('\n')).not.toContain('hush-hush');
  });

  it('nor do checks of several keys together', () => {
    const env = { V: 'hush', P: '/hush', D: '59s', N: '7777', H: '9.9.9.9' };
    const document = {
      server: { port: '${N}', host: '${H}', max_uri_length: '${N}kb', max_header_size: '${N}kb' },
      admin: { port: '${N}', host: '${H}' },
      metrics: { path: '${P}' },
      health_check: { interval: '${D}', timeout: '${D}' },
      routes: [
        { path: '${P}', upstream: '${V}', retry: { backoff: '1m', max_backoff: '${D}' } },
        {
          id: '${V}',
          path: '/a',
          backends,
          rewrite: { path: '/{${V}}' },
          cache: { invalidates: ['no-${V}'] },
        },
        { id: '${V}', path: '/a', backends },
      ],
      groups: [{ path: '/{${V}}', routes: [{ path: '/:${V}', backends }] }],
    };
    const lines = issuesOf(() => json(document, { env, unavailable: {} }));
    expect(lines).toHaveLength(11);
    expect(lines.join('\n')).not.toMatch(/hush|59s|7777|9\.9\.9/);
  });

  it('and secrets are masked in what may be shown of a document', () => {
    const config = json(
      {
        admin: { token: 'plain-secret' },
        rate_limit_global: { requests: '${N}', per: '1s' },
        health_check: { host: '${HOST}' },
        routes: [
          { ...route, timeout: '${T:-7s}', hosts: ['${HOST}', 'b.example'], metadata: { key: '${HOST}' } },
        ],
        upstreams: { u: { backends: [{ url: 'http://${HOST}' }], health_check: { timeout: '1s' } } },
      },
      { env: { HOST: 'h.example', N: '77' } },
    );
    const shown = masked(config) as GatewayConfig;
    expect(shown.admin.token).toBe('***');
    expect(shown.rate_limit_global?.requests).toBe('${N}');
    expect(shown.routes[0]).toMatchObject({
      timeout: '${T}',
      hosts: ['${HOST}', 'b.example'],
      metadata: { key: '${HOST}' },
    });
    expect(shown.upstreams['u']?.backends[0]).toMatchObject({ id: '${HOST}', url: '${HOST}' });
    expect(shown.upstreams['u']?.health_check?.host).toBe('${HOST}');
    expect(JSON.stringify(shown)).not.toMatch(/plain-secret|h\.example|77/);
    expect(config.admin.token).toBe('plain-secret');
  });
});

describe('port', () => {
  it('is short for server.port', () => {
    expect(json({ port: 81, routes: [route] }).server.port).toBe(81);
    expect(json({ port: 81, server: { port: 81 }, routes: [route] }).server.port).toBe(81);
    expect(json({ server: { port: 82 }, routes: [route] }).server.port).toBe(82);
  });
});

describe('groups', () => {
  const group = (keys: object, ...routes: object[]): GatewayConfig =>
    json({ groups: [{ ...keys, routes }], upstreams: { u: { backends }, v: { backends } } });

  it('put their path in front', () => {
    const config = group(
      { path: '/api/v1/' },
      { path: '/users/{id}', upstream: 'u' },
      { path: '/', upstream: 'u' },
    );
    expect(config.routes.map(({ path, id }) => [path, id])).toEqual([
      ['/api/v1/users/{id}', 'any-api-v1-users-id'],
      ['/api/v1', 'any-api-v1'],
    ]);
  });

  it('hand their policies on to routes that say nothing; null switches off', () => {
    const limit = { requests: 5, per: '1s' };
    const keys = {
      path: '/g',
      timeout: '3s',
      rate_limit: limit,
      metadata: { team: 'a' },
      hosts: ['G.example'],
      upstream: 'u',
    };
    const { routes } = group(
      keys,
      { path: '/a' },
      { path: '/b', timeout: '4s', rate_limit: null, metadata: { team: 'b' }, hosts: null },
      { path: '/c', rate_limit: [], upstream: 'v' },
      { id: 'own', path: '/d', backends },
    );
    expect(routes.map(({ timeout }) => timeout)).toEqual(['3s', '4s', '3s', '3s']);
    expect(routes.map((each) => each.rate_limit.length)).toEqual([1, 0, 0, 1]);
    expect(routes.map(({ metadata }) => metadata['team'])).toEqual(['a', 'b', 'a', 'a']);
    expect(routes.map(({ hosts }) => hosts)).toEqual([['g.example'], [], ['g.example'], ['g.example']]);
    expect(routes.map(({ upstream }) => upstream)).toEqual(['u', 'u', 'v', 'own']);
  });

  it('hand on what is wrong with them from where it stands', () => {
    const text = `groups:
  - path: /g
    upstream: nobody
    routes: [{path: /a}, {path: /b, rate_limit: {requests: 0, per: 1s}}]
`;
    expect(issuesOf(() => yaml(text))).toEqual([
      'g.yml:3:15 groups[0].routes[0].upstream: "nobody" names no upstream, expected one of `upstreams`',
      'g.yml:3:15 groups[0].routes[1].upstream: "nobody" names no upstream, expected one of `upstreams`',
      'g.yml:4:60 groups[0].routes[1].rate_limit.requests: 0 is out of range, expected an integer from 1 to 1000000000',
    ]);
  });

  it('stand among the routes in the order of the document', () => {
    const config = json({
      groups: [{ routes: [{ path: '/a', backends }] }],
      routes: [{ path: '/b', backends }],
    });
    expect(config.routes.map(({ path }) => path)).toEqual(['/a', '/b']);
  });
});

describe('values of the document that others inherit', () => {
  const own = { methods: ['GET'] };
  const options = { unavailable: {} };

  it('reach routes that say nothing or `inherit`, and no others', () => {
    const cors = { origins: ['https://a.example'] };
    const config = json(
      {
        server: { max_body_size: '1mb' },
        cors,
        compression: {},
        security_headers: { 'x-a': 'b' },
        auth: { default: 'api_key', api_keys: {} },
        routes: [
          { ...route, path: '/1' },
          { ...route, path: '/2', cors: 'inherit', compression: 'inherit', security_headers: 'inherit' },
          { ...route, path: '/3', cors: false, compression: false, security_headers: false, auth: 'none' },
          { ...route, path: '/4', cors: { ...cors, ...own }, max_body_size: 0, auth: null },
        ],
      },
      options,
    );
    expect(config.routes.map((each) => each.cors?.origins.length ?? null)).toEqual([1, 1, null, 1]);
    expect(config.routes.map((each) => each.cors?.methods.length ?? null)).toEqual([6, 6, null, 1]);
    expect(config.routes.map((each) => each.compression !== null)).toEqual([true, true, false, true]);
    expect(config.routes.map((each) => each.security_headers)).toEqual([
      { 'x-a': 'b' },
      { 'x-a': 'b' },
      false,
      { 'x-a': 'b' },
    ]);
    expect(config.routes.map((each) => each.auth)).toEqual(['api_key', 'api_key', 'none', 'none']);
    expect(config.routes.map((each) => each.max_body_size)).toEqual(['1mb', '1mb', '1mb', 0]);
  });

  it('probes: merged, alone, or none', () => {
    const probes = (health_check: unknown, global?: object): unknown =>
      json({
        ...(global && { health_check: global }),
        routes: [route],
        upstreams: { u: { backends, ...(health_check !== undefined && { health_check }) } },
      }).upstreams['u']?.health_check;
    const global = { path: '/up', interval: '9s' };
    expect(probes(undefined)).toBeNull();
    expect(probes(undefined, global)).toMatchObject({ path: '/up', interval: '9s', timeout: '2s' });
    expect(probes({ timeout: '1s' }, global)).toMatchObject({ path: '/up', interval: '9s', timeout: '1s' });
    expect(probes({}, global)).toMatchObject({ path: '/up', interval: '9s' });
    expect(probes({ path: '/own' })).toMatchObject({ path: '/own', interval: '5s' });
    expect(probes({})).toMatchObject({ path: '/health' });
    expect(probes(false, global)).toBeNull();
  });

  it('limits of the whole document: in total, for each user, for each upstream', () => {
    const limit = { requests: 1, per: '1s' };
    const auth = { api_keys: {} };
    const config = json(
      {
        auth,
        rate_limit_global: limit,
        rate_limit_per_user: limit,
        rate_limit_per_upstream: limit,
        routes: [route],
      },
      options,
    );
    expect(config.rate_limit_global?.by).toBe('route');
    expect(config.rate_limit_per_user?.by).toBe('user');
    expect(config.upstreams['any-a']?.rate_limit).toMatchObject({ ...limit, by: 'route' });
  });
});

describe('routes', () => {
  it('take any key of an upstream beside their backends', () => {
    const config = json({
      routes: [{ id: 'x', ...route, critical: true, connection: { keep_alive: '1s' } }],
    });
    expect(config.upstreams['x']).toMatchObject({
      critical: true,
      connection: { keep_alive: '1s' },
      backends: [{ url: 'http://h' }],
    });
  });

  it('with the same path may differ in method, host, condition or `exact`', () => {
    const differing = [
      { id: '1', methods: ['GET'] },
      { id: '2', methods: ['POST'] },
      { id: '3', hosts: ['a.example'] },
      { id: '4', hosts: ['b.example'] },
      { id: '5', headers: { 'x-a': '1' } },
      { id: '6', headers: { 'x-a': '2' } },
      { id: '7', query: { a: '1' } },
      { id: '8', exact: true },
      { id: '9', exact: true, path: '/a/' },
      { id: '10' },
    ];
    expect(json({ routes: differing.map((each) => ({ ...route, ...each })) }).routes).toHaveLength(10);
  });

  it('name guards and interceptors by text or map', () => {
    const config = json(
      { routes: [{ ...route, guards: ['a', { name: 'b', options: { c: 1 } }] }] },
      { unavailable: {}, registered: { guards: ['a', 'b'], interceptors: [] } },
    );
    expect(config.routes[0]?.guards).toEqual([
      { name: 'a', options: {} },
      { name: 'b', options: { c: 1 } },
    ]);
  });
});

describe('names that objects have by birth', () => {
  it('are names like any other', () => {
    const text = `{"upstreams": {"constructor": {"backends": [{"url": "http://h"}]}},
      "routes": [{"path": "/a", "upstream": "constructor", "metadata": {"__proto__": {"x": 1}}}, {"path": "/b", "upstream": "toString"}]}`;
    const lines = issuesOf(() => parseConfig(text, { file: 'g', format: 'json', env: {} }));
    expect(lines).toEqual([
      'g:2:125 routes[1].upstream: "toString" names no upstream, expected one of constructor',
    ]);
    const fine = parseConfig(text.replace('"toString"', '"constructor"'), {
      file: 'g',
      format: 'json',
      env: {},
    });
    expect(Object.keys(fine.routes[0]!.metadata)).toEqual(['__proto__']);
    expect(Reflect.get({}, 'x')).toBeUndefined();
    expect(fine.upstreams['toString']).toBeUndefined();
  });
});

describe('YAML', () => {
  it('follows aliases and merge keys', () => {
    const config = yaml(`
routes:
  - &base {path: /a, backends: [{url: http://h}], timeout: 1s}
  - {<<: *base, path: /b}
  - {path: /c, timeout: 2s, <<: [*base]}
  - {path: /d, upstream: any-a, metadata: {list: &l [1], again: *l}}
`);
    expect(config.routes.map(({ path, timeout }) => [path, timeout])).toEqual([
      ['/a', '1s'],
      ['/b', '1s'],
      ['/c', '2s'],
      ['/d', '30s'],
    ]);
    expect(config.routes[3]?.metadata).toEqual({ list: [1], again: [1] });
  });

  it('does not unfold a bomb of aliases', () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0 ? 'a0: &a0 [x, x]' : `a${i}: &a${i} [${`*a${i - 1}, `.repeat(10)}]`,
    );
    const bomb = `routes: [{path: /a, upstream: u, metadata: {\n ${levels.join(',\n ')}}}]`;
    const started = performance.now();
    expect(issuesOf(() => yaml(bomb))).toEqual([
      'g.yml:1:1 document: holds more than 1000000 values, expected fewer (are aliases nested?)',
    ]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it.each(['['.repeat(50_000), '{a: '.repeat(5_000), `${'- '.repeat(3_000)}a`])(
    'is not nested without end',
    (text) => {
      expect(issuesOf(() => yaml(text)).length).toBeGreaterThan(0);
    },
  );
});

describe('what is not built yet', () => {
  it('may stand at its default', () => {
    const defaults = {
      ...route,
      cors: 'inherit',
      compression: false,
      security_headers: true,
      auth: 'none',
      balancing: { type: 'round_robin' },
      sticky: null,
      transform: {},
      websocket: { enabled: true },
      guards: [],
      ai: null,
    };
    expect(json({ redis: null, tracing: {}, auth: { jwt: null }, routes: [defaults] }).routes).toHaveLength(
      1,
    );
  });

  it.each([
    [{ tracing: { enabled: true } }, 'tracing.enabled: tracing'],
    [{ history: { file: 'x.db' } }, 'history.file: history in a file'],
    [{ routes: [{ ...route, ai: { anything: [1] } }] }, 'routes[0].ai: AI routing'],
    [{ groups: [{ ai: {}, routes: [{ ...route, path: '/b' }] }] }, 'groups[0].ai: AI routing'],
  ])('is refused with any other value: %j', (document, expected) => {
    const [line = '', ...more] = issuesOf(() => json({ routes: [route], ...document }));
    expect(more).toEqual([]);
    expect(line.replace(/^\S+ /, '')).toContain(expected);
    expect(line).toContain('not available yet');
  });
});

describe('warnings', () => {
  const warningsOf = (routes: object[], extra: object = {}): string[] =>
    configWarnings(
      json({ routes: routes.map((each, i) => ({ id: `r${i}`, ...route, ...each })), ...extra }),
    ).map(String);

  it('name routes that can never be reached and what shadows them', () => {
    expect(warningsOf([{}, { methods: ['GET'] }])).toEqual([
      expect.stringContaining('routes[1].path: the route r1 can never be reached: r0 (line 1) takes all'),
    ]);
    expect(warningsOf([{ methods: ['GET'] }, { methods: ['HEAD'] }])).toHaveLength(1);
    expect(
      warningsOf([{ hosts: ['a.example', 'b.example'] }, { hosts: ['a.example'], methods: ['GET'] }]),
    ).toHaveLength(1);
  });

  it('leave alone what can be reached', () => {
    expect(
      warningsOf([
        { methods: ['GET'] },
        {},
        { headers: { a: 'b' }, methods: ['GET'] },
        { hosts: ['a.example'] },
        { exact: true, methods: ['GET'] },
        { path: '/a/b' },
        { path: '/{x}' },
      ]),
    ).toEqual([]);
  });
});

it('reads 5,000 routes in reasonable time', () => {
  const routes = Array.from({ length: 5_000 }, (_, i) => ({
    ...route,
    path: `/r${i}`,
    rate_limit: { requests: 1, per: '1s' },
  }));
  const text = JSON.stringify({ routes });
  const started = performance.now();
  expect(parseConfig(text, { file: 'g', format: 'json', env: {} }).routes).toHaveLength(5_000);
  const took = performance.now() - started;
  expect(took).toBeLessThan(20_000);
});

it('the config that npm start runs holds', () => {
  expect(configWarnings(loadConfig('config/gateway.yml', {}))).toEqual([]);
  expect(readFileSync('config/gateway.yml', 'utf8')).toContain('gateway.schema.json');
});
