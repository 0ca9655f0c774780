import { configJsonSchema } from '../config/json-schema.js';
import type { Output } from './output.js';

/** Prints the JSON Schema of the config document. */
export function schema(output: Output): number {
  output.out(JSON.stringify(configJsonSchema(), null, 2));
  return 0;
}
