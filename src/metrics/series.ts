import type { Reason } from '../exchange/reasons.js';

/** RFC 9110 §9.3 and RFC 5789; whatever else a client sends shares one label. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;
const METHOD_INDEX: ReadonlyMap<string, number> = new Map(METHODS.map((name, index) => [name, index]));
const OTHER_INDEX = METHODS.length;

/** The `method` label's values, by index. */
export const METHOD_LABELS: readonly string[] = [...METHODS, 'OTHER'];

/** Index of a request's method in {@link METHOD_LABELS}. */
export function methodIndex(method: string): number {
  return METHOD_INDEX.get(method) ?? OTHER_INDEX;
}

/** A histogram's numbers. Counts are kept apart for each bucket and added up at the scrape. */
export class HistogramSeries {
  /** One more than there are bounds: the last counts what is above them all. */
  readonly counts: number[];
  sum = 0;

  /** `bounds` in seconds, ascending. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(seconds: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && seconds > bounds[bucket]!) bucket += 1;
    this.counts[bucket]! += 1;
    this.sum += seconds;
  }
}

/** What is counted of one path, upstream and method. */
export class MethodSeries {
  /** Exchanges by status. */
  readonly statuses = new Map<number, Counter>();
  readonly duration: HistogramSeries;

  constructor(bounds: readonly number[]) {
    this.duration = new HistogramSeries(bounds);
  }

  count(status: number, seconds: number): void {
    increase(this.statuses, status);
    this.duration.observe(seconds);
  }
}

/** What is counted of one configured path. */
export class PathSeries {
  /** By upstream (empty for unmatched requests), then by index of the method. */
  readonly upstreams = new Map<string, (MethodSeries | undefined)[]>();
  readonly rejections = new Map<Reason, Counter>();

  constructor(private readonly bounds: readonly number[]) {}

  method(upstream: string, index: number): MethodSeries {
    let methods = this.upstreams.get(upstream);
    if (!methods) {
      methods = Array.from({ length: METHOD_LABELS.length }, () => undefined);
      this.upstreams.set(upstream, methods);
    }
    return (methods[index] ??= new MethodSeries(this.bounds));
  }
}

/** A number in a map that one look-up can raise. */
export interface Counter {
  value: number;
}

export function increase<Key>(counters: Map<Key, Counter>, key: Key): void {
  const counter = counters.get(key);
  if (counter) counter.value += 1;
  else counters.set(key, { value: 1 });
}
