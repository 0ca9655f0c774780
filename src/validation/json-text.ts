import type { SchemaProblem } from '../config/validation/schema-check.js';
import { JsonScan } from './json-scan.js';

export { DEEPEST, MOST_VALUES } from './json-scan.js';

export type ParsedJson = { readonly value: unknown } | { readonly problem: SchemaProblem };

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON text (RFC 8259) in the one way that everybody must read it: UTF-8, no key twice in one object, not deeper
 * than {@link DEEPEST}, with no more than {@link MOST_VALUES} values and keys.
 */
export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return problem('must be UTF-8');
  }
  const fault = new JsonScan(text).fault();
  if (fault !== null) return problem(fault);
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return problem('must be JSON');
  }
}

function problem(message: string): { readonly problem: SchemaProblem } {
  return { problem: { pointer: '', message } };
}
