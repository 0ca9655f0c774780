import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** What of a file starts the gateway, as a list of flags. */
const flagsOf = (path: string, line: RegExp): string[] =>
  (line.exec(read(path))?.[0].match(/--[a-z-]+(?:=\d+)?/g) ?? []).filter((flag) => flag !== '--config');

it('the gateway is started with the same flags for V8 everywhere', () => {
  const flags = flagsOf('src/cli/nexus.ts', /^#!.*$/m);
  expect(flags).toHaveLength(4);
  expect(flagsOf('package.json', /"serve": ".*"/)).toEqual(flags);
  expect(flagsOf('Dockerfile', /^ENTRYPOINT .*$/m)).toEqual(flags);
  for (const path of ['mock-services/start-local.ts', 'bench/servers/nexus.mjs'])
    expect(flagsOf(path, /NODE_FLAGS = \[[^\]]*\]/)).toEqual(flags);
  for (const flag of flags) expect(read('docs/decisions/0007-fixed-young-generation.md')).toContain(flag);
});
