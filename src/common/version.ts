import { readFileSync } from 'node:fs';

const manifest = JSON.parse(findManifest()) as { version: string };

/** The gateway's version, from package.json. */
export const VERSION = manifest.version;

/** The same source runs from `src/` under test and from `dist/src/` when built. */
function findManifest(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      return readFileSync(new URL(up, import.meta.url), 'utf8');
    } catch {
      // The next place.
    }
  }
  throw new Error('package.json of nexus-gateway is missing beside its code: reinstall the package');
}
