import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether PATH has the program. */
export function installed(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => executable(join(folder, program)));
}

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first thing like a version that the program prints, or "?". */
export function versionOf(program, ...args) {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? '?';
}

/** The version of a package of bench/node_modules, or null. */
export function packageVersion(name) {
  try {
    const text = readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8');
    return JSON.parse(text).version;
  } catch {
    return null;
  }
}
