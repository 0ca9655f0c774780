/**
 * What of a query (empty, or with its question mark) belongs to the key: all of it, nothing, or the parameters with
 * these names, in their order and their own bytes.
 */
export function queryPicker(query: 'all' | 'none' | readonly string[]): (query: string) => string {
  if (query === 'all') return (text) => text;
  if (query === 'none') return () => '';
  const names = new Set(query);
  return (text) => {
    const pairs = text.slice(1).split('&');
    return `?${pairs.filter((pair) => names.has(decodedName(pair))).join('&')}`;
  };
}

/** Compared after decoding; broken escapes stand for themselves. */
function decodedName(pair: string): string {
  const end = pair.indexOf('=');
  const name = (end === -1 ? pair : pair.slice(0, end)).replaceAll('+', ' ');
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
