import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import * as exported from './index.js';
import { definitionOf } from './host/definition.js';

it('exports every guard and interceptor of this folder', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder).filter((file) => /\.(guard|interceptor)\.ts$/.test(file));
  const declared = files.flatMap((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    return Array.from(text.matchAll(/@Gateway(?:Guard|Interceptor)\('([^']+)'/g), ([, name]) => name);
  });
  expect(declared.length).toBeGreaterThanOrEqual(files.length);
  const names = Object.values(exported).map((value) => definitionOf(value)?.name);
  expect(new Set(names)).toEqual(new Set(declared));
});
