import { spawnSync } from 'node:child_process';

/**
 * Programs beside Node that tests run: the one table. `neededBy` names the tests; a program that no test needs
 * is not installed.
 */
export const PROGRAMS = [
  {
    program: 'redis-server',
    package: 'redis-server',
    neededBy: ['test/redis', 'test/cache', 'test/rate-limit'],
  },
  { program: 'chromium', package: 'chromium', neededBy: [] },
];

/** Whether the program can be started. @param {string} program @returns {boolean} */
export function isInstalled(program) {
  return spawnSync('sh', ['-c', `command -v "$1"`, 'sh', program]).status === 0;
}

/**
 * For tests: why to skip what needs the program, or false when it is there:
 * `it.skipIf(missing('redis-server'))`. @param {string} program @returns {string | false}
 */
export function missing(program) {
  const entry = PROGRAMS.find((one) => one.program === program);
  if (!entry) throw new Error(`name ${program} in test/support/programs.mjs first`);
  return isInstalled(program) ? false : `${program} is not installed: apt-get install ${entry.package}`;
}
