import { configWarnings } from '../config/warnings.js';
import { openDocument } from '../gateway.document.js';
import type { Output } from './output.js';

/** Checks a config file, loading the extensions it lists. Rejects with a ConfigError that has everything wrong. */
export async function validate(file: string, output: Output): Promise<number> {
  const { config } = await openDocument(file);
  for (const warning of configWarnings(config)) output.error(`warning: ${warning.toString()}`);
  const upstreams = Object.keys(config.upstreams).length;
  output.out(`ok: ${counted(config.routes.length, 'route')}, ${counted(upstreams, 'upstream')}`);
  return 0;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
