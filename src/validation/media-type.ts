import { indexOfHeader, soleHeader } from '../common/raw-headers.js';

const JSON_TYPE = /^(?:application\/json|[!#$&^_.+\-a-z0-9]+\/[!#$&^_.+\-a-z0-9]+\+json)$/;
const CHARSET = /;[ \t]*charset=(?:"([^"]*)"|([^;,\s"]*))/g;

/**
 * Whether a request says that its body is JSON as it stands: one `Content-Type` of `application/json` or `…+json`, in
 * UTF-8, without `Content-Encoding`.
 */
export function saysJson(rawHeaders: readonly string[]): boolean {
  if (indexOfHeader(rawHeaders, 'content-encoding') >= 0) return false;
  const type = soleHeader(rawHeaders, 'content-type')?.toLowerCase() ?? '';
  const [name = ''] = type.split(';', 1);
  if (!JSON_TYPE.test(name.trim())) return false;
  return [...type.matchAll(CHARSET)].every(([, quoted, plain]) => /^utf-?8$/.test(quoted ?? plain ?? ''));
}
