/**
 * Before `npm test`: installs what tests run beside Node, where that is possible, and says what is missing; builds what
 * tests start as processes, which would otherwise be in the time of the first of them.
 */
import { spawnSync } from 'node:child_process';

import { isInstalled, PROGRAMS } from './programs.mjs';

const absent = PROGRAMS.filter((entry) => entry.neededBy.length > 0 && !isInstalled(entry.program));
if (absent.length > 0 && canInstall()) install(absent.map((entry) => entry.package));
for (const { program, package: name, neededBy } of absent) {
  if (isInstalled(program)) continue;
  console.warn(`missing: ${program}; skipped: ${neededBy.join(', ')}. Install it: apt-get install ${name}`);
}

const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

function canInstall() {
  return process.getuid?.() === 0 && isInstalled('apt-get');
}

/** @param {string[]} packages */
function install(packages) {
  console.log(`installing for the tests: ${packages.join(', ')}`);
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
}
