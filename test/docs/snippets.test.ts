import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';

import { parseConfig } from '../../src/config/loader.js';
import { closeAtEnd, ROOT } from '../support/index.js';
import { tlsFile } from '../support/tls.js';

const PAGES = ['README.md', ...readdirSync(`${ROOT}docs`).filter((name) => name.endsWith('.md'))].map(
  (name) => (name === 'README.md' ? name : `docs/${name}`),
);

/** What the guides' documents refer to outside of themselves. */
const ENV = {
  ADMIN_TOKEN: 'a-token',
  NIGHTLY_KEY: 'a-key-of-the-nightly-job',
  REDIS_URL: 'redis://localhost:6379',
  STICKY_SECRET: 'a-secret-that-is-long-enough-for-hmac',
};
const FILES = {
  'tls/gateway.crt': (to: string) => copyFileSync(tlsFile('localhost.crt'), to),
  'tls/gateway.key': (to: string) => copyFileSync(tlsFile('localhost.key'), to),
  'user.json': (to: string) => writeFileSync(to, '{"type":"object"}'),
};

interface Snippet {
  /** Page and line. */
  readonly place: string;
  readonly text: string;
}

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(ROOT + page, 'utf8');
  return [...text.matchAll(/^```ya?ml\b[^\n]*\n(.*?)^```$/gms)].map((block) => ({
    place: `${page}:${text.slice(0, block.index).split('\n').length}`,
    text: block[1]!,
  }));
}

/** README, "Guides": a snippet stands for a document with a route and the upstreams that it names. */
function completed(text: string): string {
  const document = parseDocument(text);
  expect(document.errors).toEqual([]);
  if (!document.has('routes') && !document.has('groups'))
    document.set('routes', [{ path: '/', backends: [{ url: 'http://localhost:8081' }] }]);
  for (const name of upstreamsIn(document.toJS()))
    if (!document.hasIn(['upstreams', name]))
      document.setIn(['upstreams', name], { backends: [{ url: `http://${name}:8080` }] });
  return String(document);
}

/** All names under a key `upstream`, at any depth. */
function upstreamsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'upstream' && typeof inner === 'string' ? [inner] : upstreamsIn(inner),
  );
}

let folder: string;

describe('the snippets of the guides', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'nexus-snippets-'));
    for (const [name, make] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      make(join(folder, name));
    }
    closeAtEnd(() => rmSync(folder, { recursive: true }));
  });

  const snippets = PAGES.flatMap(snippetsOf);

  it('are found', () => {
    expect(snippets.length).toBeGreaterThan(30);
  });

  it.each(snippets)('$place starts', ({ text }) => {
    const options = { file: join(folder, 'gateway.yml'), format: 'yaml', env: ENV } as const;
    expect(() => parseConfig(completed(text), options)).not.toThrow();
  });
});
