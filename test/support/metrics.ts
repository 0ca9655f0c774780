/** The value of one series in Prometheus' text format; undefined when there is none with all these labels. */
export function metricValue(
  text: string,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const wanted = Object.entries(labels);
  for (const line of text.split('\n')) {
    const series = parseSeries(line);
    if (series?.name !== name) continue;
    if (wanted.every(([key, value]) => series.labels[key] === value)) return series.value;
  }
  return undefined;
}

function parseSeries(
  line: string,
): { name: string; labels: Record<string, string>; value: number } | undefined {
  const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$/.exec(line);
  if (!parts) return undefined;
  const labels: Record<string, string> = {};
  for (const [, key, value] of (parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    labels[key!] = value!.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  }
  return { name: parts[1]!, labels, value: Number(parts[3]) };
}
