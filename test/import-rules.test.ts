import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { beforeAll, describe, expect, it } from 'vitest';

import { closeAtEnd, ROOT } from './support/index.js';

/** A project in miniature: file → what it imports. */
const FILES: Record<string, string[]> = {
  'src/common/clock.ts': [],
  'src/common/bad.ts': ['../config/a.config.js'],
  'src/config/a.config.ts': ['../common/clock.js'],
  'src/config/bad.ts': ['../exchange/exchange.js'],
  'src/exchange/exchange.ts': ['../config/a.config.js'],
  'src/exchange/bad.ts': ['../proxy/writer.js'],
  'src/proxy/writer.ts': ['../exchange/exchange.js', '../common/clock.js'],
  'src/routing/table.ts': ['./canonical.js', '../exchange/exchange.js'],
  'src/routing/canonical.ts': [],
  'src/routing/bad.ts': ['../proxy/writer.js'],
  'src/routing/bad-root.ts': ['../pipeline.js'],
  'src/routing/table.spec.ts': ['../proxy/writer.js'],
  'src/metrics/one.ts': ['./two.js'],
  'src/metrics/two.ts': ['./one.js'],
  'src/pipeline.ts': ['./routing/table.js', './proxy/writer.js'],
  'src/gateway.module.ts': ['./pipeline.js', './health/bad.js'],
  'src/health/bad.ts': ['../cli/run.js'],
  'src/application.ts': ['./gateway.module.js', './cli/run.js'],
  'src/cli/run.ts': ['../application.js', '../config/a.config.js'],
  'src/cli/bad.ts': ['../routing/table.js', '../misc/other.js'],
  'src/misc/other.ts': [],
  'src/main.ts': ['./cli/run.js'],
  'mock-services/users.ts': ['../src/common/clock.js'],
  'mock-services/bad.ts': ['../src/proxy/writer.js', '../src/nowhere.js'],
};

interface Violation {
  from: string;
  to: string;
  rule: { name: string };
}

describe('import rules', () => {
  let seen: string[];

  beforeAll(() => {
    const project = mkdtempSync(join(tmpdir(), 'nexus-imports-'));
    closeAtEnd(() => rmSync(project, { recursive: true }));
    for (const [file, imports] of Object.entries(FILES)) writeModule(join(project, file), imports);
    copyFileSync(`${ROOT}tsconfig.json`, join(project, 'tsconfig.json'));
    const violations = cruise(project);
    seen = violations.map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`);
  });

  it.each([
    'src/common/bad.ts -> src/config/a.config.ts: common-imports-only',
    'src/config/bad.ts -> src/exchange/exchange.ts: config-imports-only',
    'src/exchange/bad.ts -> src/proxy/writer.ts: exchange-imports-only',
    'src/routing/bad.ts -> src/proxy/writer.ts: rooms-do-not-import-each-other',
    'src/routing/bad-root.ts -> src/pipeline.ts: rooms-do-not-import-each-other',
    'src/health/bad.ts -> src/cli/run.ts: rooms-do-not-import-each-other',
    'src/metrics/one.ts -> src/metrics/two.ts: no-cycles',
    'src/application.ts -> src/cli/run.ts: roots-do-not-import-the-command',
    'src/cli/bad.ts -> src/routing/table.ts: the-command-knows-roots-not-rooms',
    'src/cli/bad.ts -> src/misc/other.ts: known-places-only',
    'mock-services/bad.ts -> src/proxy/writer.ts: mocks-stand-apart',
    'mock-services/bad.ts -> ../src/nowhere.js: no-unresolvable',
  ])('catch %s', (violation) => {
    expect(seen).toContain(violation);
  });

  it('leave everything else alone', () => {
    const innocent = Object.keys(FILES).filter(
      (file) => !/bad|metrics|application|cli\/run|gateway/.test(file),
    );
    const blamed = new Set(seen.map((violation) => violation.split(' ', 1)[0]!));
    expect(innocent.filter((file) => blamed.has(file))).toEqual([]);
  });
});

function writeModule(file: string, imports: readonly string[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const lines = imports.map((path, index) => `import { name as n${index} } from '${path}';`);
  const uses = imports.map((_, index) => `n${index}`).join(', ');
  writeFileSync(file, [...lines, `export const name: unknown = [${uses}];`, ''].join('\n'));
}

function cruise(project: string): Violation[] {
  const depcruise = `${ROOT}node_modules/dependency-cruiser/bin/dependency-cruiser.mjs`;
  const config = `${ROOT}.dependency-cruiser.cjs`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [depcruise, '--config', config, '--output-type', 'json', 'src', 'mock-services'],
    { cwd: project, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations;
}
