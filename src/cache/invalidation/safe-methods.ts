/** Methods that change nothing (RFC 9110 §9.2.1 and the IANA registry); any other one may. */
const SAFE: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'REPORT',
  'SEARCH',
  'TRACE',
]);

export function isSafe(method: string): boolean {
  return SAFE.has(method);
}
