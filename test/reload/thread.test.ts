import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import type * as Loader from '../../src/config/loader.js';
import type * as Places from '../../src/config/places.js';
import type * as Secrets from '../../src/config/secrets.js';
import type * as Thread from '../../src/config/thread/document-thread.js';
import { ensureBuilt, ROOT } from '../support/cli.js';
import { configFile, manyRoutes } from './support.js';

// A thread runs what is built, so the loader beside it has to be the built one too.
const built = <T>(file: string): Promise<T> =>
  import(pathToFileURL(`${ROOT}dist/src/${file}`).href) as Promise<T>;

let loader: typeof Loader;
let places: typeof Places;
let secrets: typeof Secrets;
let thread: typeof Thread;

beforeAll(async () => {
  await ensureBuilt();
  await import('reflect-metadata');
  loader = await built('config/loader.js');
  places = await built('config/places.js');
  secrets = await built('config/secrets.js');
  thread = await built('config/thread/document-thread.js');
});

afterEach(() => vi.unstubAllEnvs());

/** Every kind of value that a document holds: classes in lists and unions, maps without prototype, anything. */
const FULL = `
server: { trusted_proxies: [10.0.0.0/8], shutdown: { grace_period: 1s } }
admin: { token: "\${TOKEN}" }
logging: { redact_query: [pin] }
health_check: { path: /up, interval: 9s, expected_status: ["200-399", 404] }
rate_limit_global: { requests: 1000, per: 1s }
upstreams:
  users:
    backends: [{ url: "http://\${HOST}:1/base"}, { id: second, url: "http://127.0.0.1:2" }]
    balancing: { type: round_robin }
    health_check: { interval: 20s }
    connection: { connect_timeout: 1s }
  constructor: { backends: [{ url: "http://127.0.0.1:3" }], health_check: false }
groups:
  - path: /v1
    timeout: 3s
    rate_limit: { requests: 5, per: 1m, burst: 9 }
    routes:
      - { path: "/a/{id}", upstream: users, headers: { x-one: "/^a/" }, rewrite: { path: "/b/{id}" } }
routes:
  - path: /odd
    upstream: constructor
    hosts: [A.Example.com]
    metadata: { owner: { team: [1, null, { deep: true }] }, secret: "\${TOKEN}", __proto__: { x: 1 } }
    guards: [tenant, { name: quota, options: { limit: 3, nested: { list: [a] } } }]
`;
const ENV = { TOKEN: 'keep-me', HOST: 'localhost' };
const registered = { guards: ['tenant', 'quota'], interceptors: [], extensions: [] };

describe('a document read in its thread', () => {
  it('is the one that the loader gives: classes, prototypes, order, marks and places', async () => {
    const file = configFile(FULL);
    for (const [name, value] of Object.entries(ENV)) vi.stubEnv(name, value);
    const here = loader.loadConfig(file, process.env, registered);
    const there = await new thread.DocumentThread(registered).load(file);
    expect(told(there)).toEqual(told(here));
    expect(told(here)).toContain('.upstreams.constructor.backends.0.url: string http://127.0.0.1:3');
    expect(secrets.masked(there)).toEqual(secrets.masked(here));
    expect(JSON.stringify(secrets.masked(there))).not.toContain('keep-me');
    const { guards } = there.routes.find(({ path }) => path === '/odd')!;
    const issue = places.issueIn(there, guards, 1, 'cannot be made');
    const line =
      readFileSync(file, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('tenant')) + 1;
    expect(String(issue)).toMatch(
      new RegExp(`gateway\\.yml:${line}:22 routes\\[0\\]\\.guards\\[1\\]: cannot be made$`),
    );
  });

  it('knows where its sections stand, for what a restart alone may change', async () => {
    const file = configFile(
      '\uFEFFport: 81\nroutes: [{path: /a, backends: [{url: "http://a"}]}]\nadmin:\n  token: abc\n',
    );
    const [here, there] = [loader.loadConfig(file), await new thread.DocumentThread().load(file)];
    const spots = (config: typeof here): string[] =>
      ['server.port', 'server.host', 'admin.token', 'admin.port', 'metrics.path'].map((path) =>
        String(places.issueAt(config, path, 'x')).replace(/^.*gateway\.yml:/, ''),
      );
    expect(spots(there)).toEqual([
      '1:7 server.port: x',
      '1:1 server.host: x',
      '4:10 admin.token: x',
      '4:3 admin.port: x',
      '1:1 metrics.path: x',
    ]);
    expect(spots(here)).toEqual(spots(there));
  });

  it('knows of a port that was written short beside a section of the server', async () => {
    const file = configFile(
      'server: { host: 127.0.0.1 }\nport: 81\nroutes: [{path: /a, backends: [{url: "http://a"}]}]\n',
    );
    for (const config of [loader.loadConfig(file), await new thread.DocumentThread().load(file)])
      expect(String(places.issueAt(config, 'server.port', 'x'))).toMatch(/gateway\.yml:2:7 server\.port: x$/);
  });

  it('is refused with every error, as by the loader', async () => {
    const file = configFile('port: 99999\nroutes:\n  - { path: /a, strip_prefx: true, backends: [] }\n');
    const reader = new thread.DocumentThread();
    const [here, there] = [errorsOf(() => loader.loadConfig(file)), await reader.load(file).catch(errorsIn)];
    expect(there).toEqual(here);
    expect(there).toHaveLength(3);
    expect(await reader.load('/nowhere/x.yml').catch(errorsIn)).toEqual([
      '/nowhere/x.yml:1:1 document: cannot be read (ENOENT), expected a YAML or JSON document',
    ]);
  });

  it('has its options judged where the classes are, also when the judge breaks down', async () => {
    const file = configFile(
      'routes:\n  - { path: /a, backends: [{url: "http://a"}], guards: [{name: quota, options: {limit: 0}}, tenant] }\n',
    );
    const asked: string[] = [];
    const judge = (_: string, use: { name: string; options: Record<string, unknown> }) => {
      asked.push(use.name);
      return use.options['limit'] === 0 ? [{ path: ['limit'], message: 'must not be less than 1' }] : [];
    };
    const reader = new thread.DocumentThread({ ...registered, judge });
    expect(await reader.load(file).catch(errorsIn)).toEqual([
      expect.stringMatching(
        /gateway\.yml:2:\d+ routes\[0\]\.guards\[0\]\.options\.limit: must not be less than 1$/,
      ),
    ]);
    expect(asked).toEqual(['quota', 'tenant']);
    const broken = new thread.DocumentThread({
      ...registered,
      judge: () => {
        throw new Error('judge broke');
      },
    });
    await expect(broken.load(file)).rejects.toThrow('judge broke');
  });

  it('serves others meanwhile, and each its own', async () => {
    const files = Array.from({ length: 5 }, (_, at) => configFile(manyRoutes(20 + at, '127.0.0.1:1')));
    const reader = new thread.DocumentThread();
    const configs = await Promise.all(files.map((file) => reader.load(file)));
    expect(configs.map(({ routes }) => routes.length)).toEqual([20, 21, 22, 23, 24]);
  });
});

/** Everything in a value, in order: single values as they are, of others their class and whether they are frozen. */
function told(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value} ${String(value)}`];
  const entries = Object.entries(value);
  const own = `${path}: ${classOf(value, entries.length === 0)} ${Object.isFrozen(value)}`;
  return [own, ...entries.flatMap(([key, item]) => told(item, `${path}.${key}`))];
}

/** A map that holds nothing may be the default of its class or a written one: those have no prototype. */
function classOf(value: object, empty: boolean): string {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null || (empty && prototype === Object.prototype)) return 'map';
  return prototype.constructor.name;
}

function errorsOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return errorsIn(error);
  }
}

function errorsIn(error: unknown): string[] {
  return (error as Loader.ConfigError).issues.map(String);
}
