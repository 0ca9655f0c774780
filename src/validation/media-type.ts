import { indexOfHeader, soleHeader } from '../common/raw-headers.js';

const JSON_TYPE = /^[ \t]*(?:application\/json|[!#$&^_.+\-a-z0-9]+\/[!#$&^_.+\-a-z0-9]+\+json)(?=[ \t;]|$)/;
/** RFC 9110 §5.6.6, and white space around `=`, which some readers allow; a parameter may be empty. */
const PARAMETER = /[ \t]*;(?:[ \t]*([!#$%&'*+\-.^_`|~0-9a-z]+)[ \t]*=[ \t]*(?:"([^"\\]*)"|([^\s;,"]*)))?/y;

/**
 * Whether a request says that its body is JSON as it stands: one `Content-Type` of `application/json` or `…+json`, in
 * UTF-8, without `Content-Encoding`. What could be read in two ways says nothing.
 */
export function saysJson(rawHeaders: readonly string[]): boolean {
  if (indexOfHeader(rawHeaders, 'content-encoding') >= 0) return false;
  const type = soleHeader(rawHeaders, 'content-type')?.toLowerCase() ?? '';
  const [name] = JSON_TYPE.exec(type) ?? [];
  return name !== undefined && areHarmless(type, name.length);
}

/** Whether all parameters can be read, and none names a charset but UTF-8 (`charset*` of RFC 8187 names any). */
function areHarmless(type: string, from: number): boolean {
  PARAMETER.lastIndex = from;
  for (let at = from; ; at = PARAMETER.lastIndex) {
    const found = PARAMETER.exec(type);
    if (found === null) return type.slice(at).trim() === '';
    const [, name = '', quoted, plain = ''] = found;
    if (name.startsWith('charset*')) return false;
    if (name === 'charset' && !/^utf-?8$/.test(quoted ?? plain)) return false;
  }
}
