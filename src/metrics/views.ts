import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import type { HistogramSeries } from './series.js';

declare module 'prom-client' {
  interface Histogram {
    /** What a registry asks for its text instead of `get`; missing in prom-client's types. */
    getForPromString(): ReturnType<Histogram['get']>;
  }
}

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export interface HistogramSample {
  readonly labels: Labels;
  readonly series: HistogramSeries;
}

/** Name, help text and labels of a metric, and the registry that shows it. */
export interface ViewOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  readonly registers: Registry[];
}

/** A counter whose numbers are kept elsewhere and read at the scrape. */
export class CounterView extends Counter {
  constructor(
    options: ViewOptions,
    private readonly read: () => Sample[],
  ) {
    super(options);
  }

  override async get(): ReturnType<Counter['get']> {
    // Read before anything is awaited: all metrics of a scrape show the same moment.
    const values = this.read();
    return { ...(await super.get()), values };
  }
}

/** A gauge whose numbers are kept elsewhere and read at the scrape. */
export class GaugeView extends Gauge {
  constructor(
    options: ViewOptions,
    private readonly read: () => Sample[],
  ) {
    super(options);
  }

  override async get(): ReturnType<Gauge['get']> {
    const values = this.read();
    return { ...(await super.get()), values };
  }
}

interface BucketValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A histogram whose numbers are kept elsewhere and read at the scrape. */
export class HistogramView extends Histogram {
  private readonly bounds: readonly number[];
  private readonly metric: string;

  /** `bounds` in seconds, ascending. */
  constructor(
    options: ViewOptions,
    bounds: readonly number[],
    private readonly read: () => HistogramSample[],
  ) {
    super({ ...options, buckets: [...bounds] });
    this.bounds = bounds;
    this.metric = options.name;
  }

  override async get(): ReturnType<Histogram['get']> {
    const values = this.read().flatMap(({ labels, series }) =>
      this.lines(series).map((line) => ({ ...line, labels: { ...line.labels, ...labels } })),
    );
    return { ...(await super.getForPromString()), values };
  }

  /** Labels that lines share are formatted once. */
  override async getForPromString(): ReturnType<Histogram['get']> {
    const values = this.read().flatMap(({ labels, series }) =>
      this.lines(series).map((line) => ({ ...line, sharedLabels: labels })),
    );
    return { ...(await super.getForPromString()), values };
  }

  private lines(series: HistogramSeries): BucketValue[] {
    const { metric } = this;
    let total = 0;
    const lines: BucketValue[] = this.bounds.map((le, bucket) => {
      total += series.counts[bucket]!;
      return { metricName: `${metric}_bucket`, labels: { le }, value: total };
    });
    total += series.counts[this.bounds.length]!;
    lines.push(
      { metricName: `${metric}_bucket`, labels: { le: '+Inf' }, value: total },
      { metricName: `${metric}_sum`, labels: {}, value: series.sum },
      { metricName: `${metric}_count`, labels: {}, value: total },
    );
    return lines;
  }
}
