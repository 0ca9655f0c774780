import { soleHeader } from './raw-headers.js';

/**
 * The method that a CORS preflight asks for; null for any other request. What names its origin or method twice, or none,
 * is no preflight: browsers don't.
 *
 * @param raw name, value, name, value, …
 */
export function preflightMethod(method: string, raw: readonly string[]): string | null {
  if (method !== 'OPTIONS' || soleHeader(raw, 'origin') === null) return null;
  return soleHeader(raw, 'access-control-request-method') || null;
}
