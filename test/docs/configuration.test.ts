import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { UNAVAILABLE } from '../../src/config/unavailable.js';
import { ROOT } from '../support/index.js';

const MARK = '(not built yet)';
/** On by default, as it will be; nothing is refused for it, and nothing is recorded. */
const ON_WITHOUT_EFFECT = ['history.enabled'];

const page = readFileSync(`${ROOT}docs/configuration.md`, 'utf8');

/** Keys as the page's tables have them: those of a route without a section's name in front. */
const unbuilt = Object.keys(UNAVAILABLE).map((key) => key.replace(/^route\./, ''));

describe('the page on configuration', () => {
  it('marks the keys that are not built yet, and no others', () => {
    const marked = page.split('\n').filter((line) => line.startsWith('| `') && line.includes(MARK));
    const keys = marked.map((line) => /^\| `([^`]+)`/.exec(line)![1]!);
    expect(keys.toSorted()).toEqual([...unbuilt, ...ON_WITHOUT_EFFECT].toSorted());
  });
});
