import { expect, it } from 'vitest';

import { startTestGateway } from '../support/index.js';

/** Texts of a client that take each of these seconds or more: 10 KB fit into a head. */
const SLOW = ['(a+)+$', '(a|aa)*b', '^(\\w+\\s?)*$', '.*.*.*x', '(a*)*b', '^(a)(\\1)*$'];

const PLACES: [where: string, route: (pattern: string) => object][] = [
  ['a condition on a header', (pattern) => ({ headers: { 'x-a': `/${pattern}/` } })],
  ['a condition on the query', (pattern) => ({ query: { a: `/${pattern}/` } })],
  ['rewrite', (pattern) => ({ rewrite: { pattern, replacement: '/x' } })],
  [
    'a replacement in headers',
    (pattern) => ({
      transform: { request: { headers: { replace: [{ name: 'x-a', pattern, replacement: 'x' }] } } },
    }),
  ],
  [
    'a replacement in the query',
    (pattern) => ({
      transform: { request: { query: { replace: [{ name: 'a', pattern, replacement: 'x' }] } } },
    }),
  ],
  [
    'pattern in a schema',
    (pattern) => ({
      validate: { body: { schema: { type: 'object', properties: { a: { type: 'string', pattern } } } } },
    }),
  ],
  [
    'patternProperties in a schema',
    (pattern) => ({
      validate: { body: { schema: { type: 'object', patternProperties: { [pattern]: {} } } } },
    }),
  ],
];

it.each(PLACES)('no regular expression that a client can make slow is taken: %s', async (_, routeOf) => {
  for (const pattern of SLOW) {
    const route = { path: '/p', backends: [{ url: 'http://127.0.0.1:1' }], ...routeOf(pattern) };
    // oxlint-disable-next-line no-await-in-loop
    await expect(startTestGateway({ routes: [route] })).rejects.toThrow(/regular expression/);
  }
  const route = { path: '/p', backends: [{ url: 'http://127.0.0.1:1' }], ...routeOf('^a+b$') };
  await expect(startTestGateway({ routes: [route] })).resolves.toBeDefined();
});
