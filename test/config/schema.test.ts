import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { configJsonSchema } from '../../src/config/json-schema.js';

type Validate = (document: unknown) => boolean;

/** ajv comes with Fastify; the schema needs none of its own to be written. */
function compile(): Validate | undefined {
  try {
    const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as {
      Ajv2020: new (options: object) => { compile(schema: object): Validate };
    };
    return new Ajv2020({ strict: true, strictTypes: false, allErrors: true }).compile(configJsonSchema());
  } catch (error) {
    if ((error as { code?: string }).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

describe('the JSON Schema', () => {
  it('in config/gateway.schema.json is the one that the classes give (npm run schema)', () => {
    const kept = JSON.parse(readFileSync('config/gateway.schema.json', 'utf8')) as unknown;
    expect(kept).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  });

  it('describes every key', () => {
    const bare: string[] = [];
    const look = (at: string, value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: Record<string, { description?: string }> };
      for (const [key, schema] of Object.entries(properties ?? {}))
        if (!schema.description) bare.push(`${at}.${key}`);
      for (const [key, item] of Object.entries(value)) look(key, item);
    };
    look('document', configJsonSchema());
    expect(bare).toEqual([]);
  });

  it('has no key that docs/configuration.md does not name', () => {
    const page = readFileSync('docs/configuration.md', 'utf8');
    const code = [...page.matchAll(/```[^]*?```|`[^`]+`/g)].map(([text]) => text).join(' ');
    const named = new Set(code.match(/[$A-Za-z_][A-Za-z0-9_]*/g));
    const properties = JSON.stringify(configJsonSchema()).matchAll(/"([^"]+)":\{"description"/g);
    const keys = [...new Set([...properties].map(([, key = '']) => key))];
    const missing = keys.filter((key) => !named.has(key));
    expect(keys.length).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  const validate = compile();
  const route = { path: '/a', backends: [{ url: 'http://localhost:1' }] };

  it.skipIf(!validate).each([
    ['the config of npm start', parse(readFileSync('config/gateway.yml', 'utf8')) as unknown],
    ['a route of its own', { routes: [route] }],
    ['references', { port: '${PORT}', routes: [{ ...route, timeout: '${T:-3s}', strip_prefix: '${S}' }] }],
    ['one limit and many', { routes: [{ ...route, rate_limit: [{ requests: 1, per: '1s' }] }] }],
    ['groups', { groups: [{ path: '/v1', auth: null, timeout: '1s', routes: [route] }] }],
    ['keys of an upstream in a route', { routes: [{ ...route, critical: true, health_check: false }] }],
    ['no limit of the body', { server: { max_body_size: 0 }, routes: [route] }],
    ['statuses', { health_check: { expected_status: [200, '300-399'] }, routes: [route] }],
    ['security headers', { security_headers: { 'x-frame-options': false }, routes: [route] }],
  ])('takes %s', (_, document) => {
    expect(validate?.(document)).toBe(true);
  });

  it.skipIf(!validate).each([
    ['an unknown key', { routes: [{ ...route, strip_prefx: true }] }],
    ['a text as port', { port: '8080', routes: [route] }],
    ['a bare number as duration', { routes: [{ ...route, timeout: 30 }] }],
    ['a duration with a long unit', { routes: [{ ...route, timeout: '5seconds' }] }],
    ['a route without path', { routes: [{ backends: route.backends }] }],
    ['an unknown method', { routes: [{ ...route, methods: ['get'] }] }],
    ['a port out of range', { port: 70_000, routes: [route] }],
    ['an unknown level', { logging: { level: 'loud' }, routes: [route] }],
    ['a zero that is no size', { server: { max_header_size: 0 }, routes: [route] }],
  ])('refuses %s', (_, document) => {
    expect(validate?.(document)).toBe(false);
  });
});
