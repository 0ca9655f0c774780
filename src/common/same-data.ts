/**
 * Whether two values made of lists, maps and single values say the same, keys in the same order. Half the price of
 * `isDeepStrictEqual` for what is equal, and the order of keys means something in a document (headers to set).
 */
export function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return false;
  return keys.every((key, at) => key === others[at] && sameData(Reflect.get(a, key), Reflect.get(b, key)));
}
