import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { NEEDED_NODE, nodeFault } from './node-version.js';

describe('nodeFault', () => {
  it.each(['20.20.2', '22.15.0', '24.8.9', '0.12.0'])('names the Node that is needed to %s', (version) => {
    expect(nodeFault(version)).toBe(
      `nexus: needs Node 24.9 or newer, and this is Node ${version}: install one from https://nodejs.org`,
    );
  });

  it.each(['24.9.0', '24.10.0', '26.0.0'])('lets %s run', (version) => {
    expect(nodeFault(version)).toBeNull();
  });

  it('says what package.json says', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    expect(engines.node).toBe(`>=${NEEDED_NODE}`);
  });
});
