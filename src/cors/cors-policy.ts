import { durationMs } from '../common/duration.js';
import { soleHeader } from '../common/raw-headers.js';
import type { CorsConfig } from '../config/response.config.js';

const NO_LINES: readonly string[] = [];
const VARIES: readonly string[] = ['Vary', 'Origin'];
const PREFLIGHT_VARIES: readonly string[] = [
  'Vary',
  'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
];
/** Names of headers, comma-separated (RFC 9110 §5.6.1, §5.6.2). */
const NAMES = /^[\t ]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+[\t ]*(?:,[\t ]*[!#$%&'*+\-.^_`|~0-9A-Za-z]+[\t ]*)*$/;

/** `cors` of a route, compiled to header lines: name, value, name, value, … */
export class CorsPolicy {
  /** Whether answers depend on the origin that asks. */
  readonly varies: boolean;
  /** What answers to each allowed origin carry; empty where any is. */
  readonly #promised: ReadonlyMap<string, readonly string[]>;
  readonly #promisedToOthers: readonly string[];
  readonly #credentials: readonly string[];
  readonly #preflight: readonly string[];
  /** Null = those that the preflight asks for. */
  readonly #headers: string | null;

  constructor(config: Readonly<CorsConfig>) {
    const { origins, methods, headers, expose } = config;
    this.varies = !origins.includes('*');
    this.#credentials = config.credentials ? ['Access-Control-Allow-Credentials', 'true'] : NO_LINES;
    const exposed = expose.length > 0 ? ['Access-Control-Expose-Headers', expose.join(', ')] : NO_LINES;
    const promised = (origin: string): readonly string[] => [...this.#allowing(origin), ...exposed];
    const named = this.varies ? origins.map(serialized) : [];
    this.#promised = new Map(named.map((origin) => [origin, [...VARIES, ...promised(origin)]]));
    this.#promisedToOthers = this.varies ? VARIES : promised('*');
    const seconds = Math.floor(durationMs(config.max_age) / 1_000);
    this.#preflight = [
      'Access-Control-Allow-Methods',
      methods.join(', '),
      'Access-Control-Max-Age',
      `${seconds}`,
    ];
    this.#headers = headers.length > 0 ? headers.join(', ') : null;
  }

  /** Whether scripts of the origin may read answers. `null` (sandboxed frames, local files) is anybody. */
  allows(origin: string | null): boolean {
    return !this.varies || (origin !== null && this.#promised.has(origin));
  }

  /** For any answer to a request of this origin (null = none, or none that can be told). */
  promise(origin: string | null, lines: string[]): void {
    const own = this.#promised.get(origin ?? '') ?? this.#promisedToOthers;
    for (const text of own) lines.push(text);
  }

  /** For the answer to a preflight with these raw headers. */
  answerPreflight(raw: readonly string[], lines: string[]): void {
    const origin = soleHeader(raw, 'origin');
    lines.push(...PREFLIGHT_VARIES);
    if (origin === null || !this.allows(origin)) return;
    lines.push(...this.#allowing(this.varies ? origin : '*'), ...this.#preflight);
    const headers = this.#headers ?? askedHeaders(raw);
    if (headers !== null) lines.push('Access-Control-Allow-Headers', headers);
  }

  #allowing(origin: string): string[] {
    return ['Access-Control-Allow-Origin', origin, ...this.#credentials];
  }
}

/** As a browser sends it (URL Standard, "ASCII serialization of an origin"). */
function serialized(origin: string): string {
  return origin.toLowerCase();
}

/** Nothing that is no list of names is sent back. */
function askedHeaders(raw: readonly string[]): string | null {
  const asked = soleHeader(raw, 'access-control-request-headers');
  return asked !== null && NAMES.test(asked) ? asked : null;
}
