import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { closeAtEnd, ROOT } from './index.js';

function closingLineOf(files: Record<string, string>): { line: string | undefined; status: number | null } {
  const project = mkdtempSync(join(tmpdir(), 'nexus-closing-'));
  closeAtEnd(() => rmSync(project, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      `${ROOT}node_modules/vitest/vitest.mjs`,
      'run',
      '--globals',
      '--reporter=default',
      `--reporter=${ROOT}test/support/closing-line.ts`,
    ],
    { cwd: project, encoding: 'utf8' },
  );
  return { line: stdout.trimEnd().split('\n').at(-1), status };
}

it('counts tests, and what fails beside them', () => {
  const good = 'it("a", () => {}); it("b", () => {}); it.skip("c", () => {});';
  expect(closingLineOf({ 'good.test.js': good })).toEqual({
    line: '2 passed, 0 failed, 1 skipped',
    status: 0,
  });
  const bad = {
    'good.test.js': good,
    'fails.test.js': 'it("d", () => { throw new Error("no"); });',
    'does-not-load.test.js': 'throw new Error("no");',
    'hook.test.js':
      'describe("e", () => { afterAll(() => { throw new Error("no"); }); it("f", () => {}); });',
    'unhandled.test.js': 'it("g", () => { Promise.reject(new Error("no")); });',
  };
  expect(closingLineOf(bad)).toEqual({ line: '4 passed, 4 failed, 1 skipped', status: 1 });
});

it('says so when there was no run', () => {
  expect(closingLineOf({})).toEqual({ line: '0 passed, 1 failed', status: 1 });
});
