import { loadConfig } from '../config/loader.js';
import { configWarnings } from '../config/warnings.js';
import type { Output } from './output.js';

/** Checks a config file. Throws a ConfigError with everything that is wrong. */
export function validate(file: string, output: Output): number {
  const config = loadConfig(file);
  for (const warning of configWarnings(config)) output.error(`warning: ${warning.toString()}`);
  const upstreams = Object.keys(config.upstreams).length;
  output.out(`ok: ${counted(config.routes.length, 'route')}, ${counted(upstreams, 'upstream')}`);
  return 0;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
