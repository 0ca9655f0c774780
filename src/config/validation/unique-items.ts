/** Whether no two items are the same value (JSON Schema 2020-12 validation §6.4.3), in linear time. */
export function areUnique(items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    // Nothing else begins with a quote: what a string holds need not be escaped.
    const text = typeof item === 'string' ? `"${item}` : canonical(item);
    if (seen.has(text)) return false;
    seen.add(text);
  }
  return true;
}

/** One text for each JSON value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const map = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(map);
  if (keys.length > 1) keys.sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(map[key])}`).join(',')}}`;
}
