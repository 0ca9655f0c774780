import fc from 'fast-check';
import { validateSync } from 'class-validator';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { DocumentConfig } from '../../src/config/document.config.js';
import { ConfigError, parseConfig } from '../../src/config/loader.js';
import { keysOf } from '../../src/config/keys/key.js';
import type { DocumentClass, Kind } from '../../src/config/keys/kind.js';

/** Everything that is not a ConfigError fails the test. */
function outcome(text: string, format: 'yaml' | 'json', unavailable = {}): 'loaded' | ConfigError {
  try {
    parseConfig(text, { file: 'g', format, env: { A: 'x', B: '9' }, unavailable });
    return 'loaded';
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function classesOf(kind: Kind): DocumentClass[] {
  if (kind.shape === 'object') return kind.beside ? [kind.type, kind.beside] : [kind.type];
  if (kind.shape === 'union') return kind.members.flatMap(classesOf);
  return kind.shape === 'list' || kind.shape === 'record' ? classesOf(kind.element) : [];
}

function allClasses(): DocumentClass[] {
  const found = new Set<DocumentClass>([DocumentConfig]);
  for (const type of found) {
    for (const { kind } of keysOf(type).values()) for (const next of classesOf(kind)) found.add(next);
  }
  return [...found];
}

const keys = [...new Set(allClasses().flatMap((type) => [...keysOf(type).keys()]))];
const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    200,
    8080,
    1e21,
    '',
    '0',
    '0s',
    '5s',
    '1mb',
    '/a',
    '/{x}',
  ),
  fc.constantFrom<unknown>(
    'http://h',
    'inherit',
    'jwt',
    'none',
    'ip',
    'user',
    '${A}',
    '${B}',
    '${C}',
    '${',
    '/(a+)+/',
  ),
  fc.constantFrom<unknown>(
    'x',
    'GET',
    '*',
    '10.0.0.0/8',
    '{x}',
    '$1',
    '__proto__',
    'constructor',
    '\ud800',
    '\u0000',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const junk = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    { arbitrary: scalars, weight: 2 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    { arbitrary: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }), weight: 3 },
  ),
})).value;
const route = fc.record(
  {
    path: fc.oneof(scalars, fc.constant('/a')),
    upstream: fc.constantFrom<unknown>('u', 'v'),
    backends: junk,
  },
  { requiredKeys: ['path'] },
);
const routes = fc.array(
  fc
    .tuple(route, fc.dictionary(fc.constantFrom(...keys), junk, { maxKeys: 5 }))
    .map(([own, more]) => ({ ...more, ...own })),
  { maxLength: 3 },
);
const documents = fc
  .tuple(fc.dictionary(fc.constantFrom(...keys), junk, { maxKeys: 6 }), routes)
  .map(([more, list]) => ({
    ...more,
    routes: list,
    upstreams: { u: { backends: [{ url: 'http://h' }] } },
  }));

describe('whatever a document holds', () => {
  it('as JSON, it loads or is refused with all its places', () => {
    fc.assert(
      fc.property(fc.oneof(documents, junk), (document) => {
        const result = outcome(JSON.stringify(document) ?? '', 'json');
        if (result === 'loaded') return;
        expect(result.issues.length).toBeGreaterThan(0);
        for (const { line, column, message } of result.issues) {
          expect([line >= 1, column >= 1, message.length > 0]).toEqual([true, true, true]);
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('YAML and JSON agree', () => {
    const words = (result: 'loaded' | ConfigError): string[] =>
      result === 'loaded'
        ? []
        : result.issues.map(({ path, message }) => `${path} ${message.replace(/line \d+/g, '')}`).toSorted();
    fc.assert(
      fc.property(documents, (document) => {
        const plain = JSON.parse(JSON.stringify(document)) as unknown;
        const text = stringify(plain, { aliasDuplicateObjects: false });
        expect(words(outcome(text, 'yaml'))).toEqual(words(outcome(JSON.stringify(plain), 'json')));
      }),
      { numRuns: 300 },
    );
  });

  it('no text at all makes it fail otherwise', () => {
    const signs = fc.constantFrom(
      ...'{|}|[|]|:| |\n|- |"|\'|&a |*a|<<|!|#|routes|a|1|\t|${|%|\\|? |---|\r'.split('|'),
      '|',
    );
    const texts = fc.oneof(
      fc.array(signs, { maxLength: 40 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('yaml' as const, 'json' as const), (text, format) => {
        expect(outcome(text, format)).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the classes of the document', () => {
  it.each(allClasses().map((type) => [type.name, type] as const))(
    '%s: its defaults hold before class-validator',
    (_, type) => {
      const required = new Set(
        [...keysOf(type).values()].filter((spec) => spec.required).map(({ name }) => name),
      );
      const wrong = validateSync(new type()).filter(({ property }) => !required.has(property));
      expect(wrong.map(String)).toEqual([]);
    },
  );

  it('refuse wrong values without the loader too', () => {
    const document = Object.assign(new DocumentConfig(), { port: 70_000 });
    expect(validateSync(document).map(({ constraints }) => constraints)).toEqual([
      { key: 'port: 70000 is out of range, expected an integer from 1 to 65535' },
    ]);
  });
});
