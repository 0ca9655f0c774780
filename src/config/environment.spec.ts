import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, vi } from 'vitest';

import { configFile, processEnvironment } from './environment.js';

it('takes the file given, else what GATEWAY_CONFIG names, else config/gateway.yml', () => {
  expect(configFile('a.yml', { GATEWAY_CONFIG: 'b.yml' })).toBe('a.yml');
  expect(configFile(undefined, { GATEWAY_CONFIG: 'b.yml' })).toBe('b.yml');
  expect(configFile(undefined, { GATEWAY_CONFIG: '' })).toBe('config/gateway.yml');
  expect(configFile(undefined, {})).toBe('config/gateway.yml');
});

it('adds the .env file of the working directory to the environment, which wins', () => {
  const before = process.cwd();
  const directory = mkdtempSync(join(tmpdir(), 'nexus-env-'));
  writeFileSync(join(directory, '.env'), 'NEXUS_SPEC_NEW=from-file\nNEXUS_SPEC_SET=from-file\n');
  vi.stubEnv('NEXUS_SPEC_SET', 'from-process');
  vi.stubEnv('NEXUS_SPEC_NEW', undefined);
  vi.spyOn(process, 'cwd').mockReturnValue(directory);
  try {
    const environment = processEnvironment();
    expect(environment['NEXUS_SPEC_NEW']).toBe('from-file');
    expect(environment['NEXUS_SPEC_SET']).toBe('from-process');
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(directory, { recursive: true });
  }
  expect(process.cwd()).toBe(before);
});
