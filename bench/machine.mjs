import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Where and when a run is made. */
export function machine() {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    commit: commit(),
    cores: cpus().length,
    model: cpus()[0]?.model ?? '?',
  };
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}
