/**
 * A strict reader of Prometheus' text format 0.0.4 with the rules of `promtool check metrics`
 * (client_golang's promlint), for tests.
 */

export interface ExpositionSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  type: string;
  readonly samples: ExpositionSample[];
}

export interface Exposition {
  readonly families: ReadonlyMap<string, MetricFamily>;
  /** What is wrong, one sentence each; empty when `promtool check metrics` would pass. */
  readonly problems: readonly string[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/;
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan)$/i;
const TYPES = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped']);
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};
const ABBREVIATED = new Set(['s', 'ms', 'us', 'ns', 'sec', 'b', 'kb', 'mb', 'gb', 'tb', 'pb', 'm', 'h', 'd']);
const NOT_BASE = /^(?:(?:milli|micro|nano|kilo|mega|giga)(?:seconds|bytes)|minutes|hours|days|weeks|bits)$/;

/** Reads a scrape. Collects what is wrong instead of throwing. */
export function readExposition(text: string): Exposition {
  const reader = new Reader();
  if (!text.endsWith('\n')) reader.problems.push('the text does not end with a line feed');
  for (const line of text.split('\n').slice(0, -1)) reader.line(line);
  for (const family of reader.families.values()) reader.problems.push(...lint(family), ...histogram(family));
  return reader;
}

class Reader implements Exposition {
  readonly families = new Map<string, MetricFamily>();
  readonly problems: string[] = [];
  private readonly seen = new Set<string>();
  private current: MetricFamily | null = null;

  line(line: string): void {
    if (line === '') return;
    if (line.startsWith('# HELP ')) this.help(line.slice(7));
    else if (line.startsWith('# TYPE ')) this.type(line.slice(7));
    else if (line.startsWith('#')) this.problems.push(`a comment: ${line}`);
    else this.sample(line);
  }

  private help(rest: string): void {
    const [name = '', ...words] = rest.split(' ');
    if (!NAME.test(name)) this.problems.push(`not a name: ${name}`);
    if (this.families.has(name)) this.problems.push(`${name}: comes twice`);
    this.current = { name, help: words.join(' '), type: '', samples: [] };
    this.families.set(name, this.current);
  }

  private type(rest: string): void {
    const [name = '', type = ''] = rest.split(' ');
    if (!TYPES.has(type)) this.problems.push(`${name}: unknown type ${type}`);
    if (this.current?.name !== name || this.current.type !== '') {
      this.problems.push(`${name}: TYPE does not follow HELP`);
    } else this.current.type = type;
  }

  private sample(line: string): void {
    const parts = SAMPLE.exec(line);
    if (!parts || !NUMBER.test(parts[3]!)) return void this.problems.push(`not a sample: ${line}`);
    const name = parts[1]!;
    const labels = this.labels(parts[2] ?? '', line);
    const family = this.current;
    if (!family || !belongs(name, family)) return void this.problems.push(`outside its family: ${line}`);
    const identity = name + JSON.stringify(Object.entries(labels).toSorted(byName));
    if (this.seen.has(identity)) this.problems.push(`comes twice: ${line}`);
    this.seen.add(identity);
    family.samples.push({ name, labels, value: Number(parts[3]!.replace(/inf/i, 'Infinity')) });
  }

  private labels(text: string, line: string): Record<string, string> {
    const labels: Record<string, string> = {};
    let rest = text;
    while (rest !== '') {
      const parts = LABEL.exec(rest);
      const name = parts?.[1] ?? '';
      if (!parts || Object.hasOwn(labels, name)) {
        this.problems.push(`bad labels: ${line}`);
        return labels;
      }
      labels[name] = parts[2]!.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
      rest = rest.slice(parts[0].length);
    }
    return labels;
  }
}

function byName([one]: [string, string], [other]: [string, string]): number {
  return one < other ? -1 : 1;
}

function belongs(name: string, family: MetricFamily): boolean {
  return (SUFFIXES[family.type] ?? ['']).some((suffix) => name === family.name + suffix);
}

function lint({ name, help, type }: MetricFamily): string[] {
  const words = name.split('_');
  const rules: [boolean, string][] = [
    [help === '', 'no help text'],
    [type === '', 'no type'],
    [type === 'counter' && !name.endsWith('_total'), 'a counter without the suffix _total'],
    [type !== 'counter' && name.endsWith('_total'), 'the suffix _total on what is no counter'],
    [!(type in SUFFIXES) && /_(?:bucket|sum|count)$/.test(name), 'a suffix of histograms'],
    [words.includes(type), 'its type in its name'],
    [name.includes(':'), 'a colon'],
    [/[a-z][A-Z]/.test(name), 'camel case'],
    [words.slice(1).some((word) => ABBREVIATED.has(word)), 'an abbreviated unit'],
    [words.some((word) => NOT_BASE.test(word)), 'a unit that is no base unit'],
  ];
  return rules.filter(([broken]) => broken).map(([, rule]) => `${name}: ${rule}`);
}

function histogram({ name, type, samples }: MetricFamily): string[] {
  if (type !== 'histogram') return [];
  const bySeries = Map.groupBy(samples, ({ labels: { le: _le, ...others } }) => JSON.stringify(others));
  return [...bySeries].flatMap(([labels, series]) => {
    const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((bucket) => Number(bucket.labels['le']?.replace('Inf', 'Infinity')));
    const counts = buckets.map((bucket) => bucket.value);
    const count = series.find((sample) => sample.name === `${name}_count`)?.value;
    const rules: [boolean, string][] = [
      [bounds.at(-1) !== Number.POSITIVE_INFINITY, 'no bucket +Inf at the end'],
      [bounds.some((bound, at) => at > 0 && !(bound > bounds[at - 1]!)), 'bounds do not ascend'],
      [counts.some((value, at) => at > 0 && value < counts[at - 1]!), 'buckets are not cumulative'],
      [
        bounds.at(-1) === Number.POSITIVE_INFINITY && count !== counts.at(-1),
        'the count is not that of +Inf',
      ],
      [!series.some((sample) => sample.name === `${name}_sum`), 'no sum'],
    ];
    return rules.filter(([broken]) => broken).map(([, rule]) => `${name}${labels}: ${rule}`);
  });
}
