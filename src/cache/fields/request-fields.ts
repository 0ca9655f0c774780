import { type Directives, parseCacheControl } from './cache-control.js';

/** What of a request's header lines the cache looks at, found in one pass. */
export class RequestFields {
  ifNoneMatch: string | null = null;
  ifModifiedSince: string | null = null;
  range: string | null = null;
  ifRange: string | null = null;
  cookie: string | null = null;
  hasAuthorization = false;
  /**
   * `If-Match`, `If-Unmodified-Since`: for the origin alone (RFC 9111 §4.3.2). Another method in a header too: what
   * answers it is not what a GET of this target is answered.
   */
  isForOrigin = false;
  /** Null where the client says nothing. `Pragma` alone counts as `no-cache` (RFC 9111 §5.4). */
  control: Directives | null = null;
  #cacheControl: string | null = null;
  #pragma: string | null = null;

  /** @param lines name, value, name, value, … */
  constructor(lines: readonly string[]) {
    for (let at = 0; at < lines.length; at += 2) {
      if (LENGTHS[lines[at]!.length] === 1)
        this.#take(lines[at]!.toLowerCase().replaceAll('_', '-'), lines[at + 1]!);
    }
    if (this.#cacheControl !== null) this.control = parseCacheControl(this.#cacheControl);
    else if (this.#pragma !== null && parseCacheControl(this.#pragma).has('no-cache'))
      this.control = parseCacheControl('no-cache');
  }

  get isConditional(): boolean {
    return this.ifNoneMatch !== null || this.ifModifiedSince !== null;
  }

  #take(name: string, value: string): void {
    switch (name) {
      case 'cache-control':
        this.#cacheControl = joined(this.#cacheControl, value);
        break;
      case 'pragma':
        this.#pragma = joined(this.#pragma, value);
        break;
      case 'if-none-match':
        this.ifNoneMatch = joined(this.ifNoneMatch, value);
        break;
      case 'if-modified-since':
        this.ifModifiedSince = value;
        break;
      case 'range':
        this.range = joined(this.range, value);
        break;
      case 'if-range':
        this.ifRange = value;
        break;
      case 'cookie':
        this.cookie = this.cookie === null ? value : `${this.cookie}; ${value}`;
        break;
      case 'authorization':
        this.hasAuthorization = true;
        break;
      case 'if-match':
      case 'if-unmodified-since':
      case 'x-http-method':
      case 'x-http-method-override':
      case 'x-method-override':
        this.isForOrigin = true;
        break;
    }
  }
}

/** Only names of these lengths need a closer look. */
const LENGTHS = new Uint8Array(64);
for (const name of [
  'cache-control',
  'pragma',
  'if-none-match',
  'if-modified-since',
  'range',
  'if-range',
  'cookie',
  'authorization',
  'if-match',
  'if-unmodified-since',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]) {
  LENGTHS[name.length] = 1;
}

function joined(before: string | null, value: string): string {
  return before === null ? value : `${before}, ${value}`;
}
