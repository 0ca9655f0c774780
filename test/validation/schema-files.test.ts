import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { ConfigError, parseConfig } from '../../src/config/loader.js';
import { echoUpstream, startTestGateway } from '../support/index.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'schemas-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const write = (schema: unknown): void => writeFileSync(join(directory, 's.json'), JSON.stringify(schema));

function faults(validate: object, route: object = {}): string[] {
  const document = { routes: [{ path: '/', backends: [{ url: 'http://h' }], validate, ...route }] };
  try {
    parseConfig(JSON.stringify(document), { file: join(directory, 'gateway.json'), format: 'json', env: {} });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('schema_file', () => {
  it('lies beside the document, and is read again by a reload', async () => {
    const upstream = await echoUpstream();
    const document = {
      routes: [{ path: '/', backends: [upstream.backend], validate: { query: { schema_file: 's.json' } } }],
    };
    write({ type: 'object', required: ['a'] });
    const gateway = await startTestGateway(document, { file: join(directory, 'gateway.json') });
    expect([(await gateway.get('/?a=1')).status, (await gateway.get('/?b=1')).status]).toEqual([200, 400]);
    write({ type: 'object', required: ['b'] });
    expect(await gateway.reload(document)).toBe(true);
    expect([(await gateway.get('/?a=1')).status, (await gateway.get('/?b=1')).status]).toEqual([400, 200]);
    write({ $ref: 'https://example.com/other.json' });
    expect(await gateway.reload(document)).toBe(false);
    expect((await gateway.get('/?b=1')).status).toBe(200);
  });

  it('is one file for all routes of a group', () => {
    write({ type: 'object' });
    const validate = { query: { schema_file: 's.json' } };
    const backends = [{ url: 'http://h' }];
    const groups = [
      {
        validate,
        routes: [
          { path: '/a', backends },
          { path: '/b', backends },
        ],
      },
    ];
    const options = { file: join(directory, 'gateway.json'), format: 'json', env: {} } as const;
    const config = parseConfig(JSON.stringify({ groups }), options);
    expect(config.routes.map((route) => route.validate?.query?.schema)).toEqual([
      { type: 'object' },
      { type: 'object' },
    ]);
  });
});

describe('a document with a schema', () => {
  it.each<[string, object, string]>([
    [
      'that does not compile',
      { body: { schema: { type: 'objekt' } } },
      'routes[0].validate.body.schema: is no usable schema (schema is invalid',
    ],
    [
      'with an unknown keyword',
      { query: { schema: { type: 'object', propertys: {} } } },
      'routes[0].validate.query.schema: is no usable schema (strict mode: unknown keyword: "propertys")',
    ],
    [
      'that refers elsewhere',
      { body: { schema: { $ref: 'https://example.com/x' } } },
      'routes[0].validate.body.schema: is no usable schema (it refers to https://example.com/x',
    ],
    [
      'with header names in upper case',
      { headers: { schema: { type: 'object', required: ['X-A'] } } },
      'routes[0].validate.headers.schema: names the header X-A, expected x-a: lower case, and - for _',
    ],
  ])('%s is refused', (_, validate, message) => {
    expect(faults(validate)).toEqual([expect.stringContaining(message)]);
  });

  it('for bodies without bound is refused', () => {
    expect(faults({ body: { schema: true } }, { max_body_size: 0 })).toEqual([
      'routes[0].max_body_size: is 0 (no limit) beside validate.body, expected a size',
    ]);
  });
});
