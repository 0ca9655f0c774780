import { type Directives, parseCacheControl } from './cache-control.js';

/** What of a response's header lines decides about its storing and its freshness. */
export class ResponseFields {
  readonly control: Directives;
  /** The values of all lines. */
  readonly expires: string[] = [];
  /** Several lines joined by commas, which no number survives. */
  age: string | null = null;
  date: string | null = null;
  vary: string | null = null;
  etag: string | null = null;
  lastModified: string | null = null;
  contentType: string | null = null;
  contentLocation: string | null = null;
  location: string | null = null;
  setsCookies = false;

  /** @param lines name, value, name, value, … */
  constructor(lines: readonly string[]) {
    let control = '';
    for (let at = 0; at < lines.length; at += 2) {
      const name = lines[at]!.toLowerCase();
      if (name === 'cache-control') control += `${lines[at + 1]!},`;
      else this.#take(name, lines[at + 1]!);
    }
    this.control = parseCacheControl(control);
  }

  #take(name: string, value: string): void {
    const single = SINGLE.get(name);
    if (single !== undefined) this[single] ??= value;
    else if (name === 'expires') this.expires.push(value);
    else if (name === 'age') this.age = this.age === null ? value : `${this.age}, ${value}`;
    else if (name === 'vary') this.vary = this.vary === null ? value : `${this.vary}, ${value}`;
    else if (name === 'set-cookie' || name === 'set-cookie2') this.setsCookies = true;
  }
}

/** Fields of which the first line counts. */
const SINGLE: ReadonlyMap<
  string,
  'date' | 'etag' | 'lastModified' | 'contentType' | 'contentLocation' | 'location'
> = new Map([
  ['date', 'date'],
  ['etag', 'etag'],
  ['last-modified', 'lastModified'],
  ['content-type', 'contentType'],
  ['content-location', 'contentLocation'],
  ['location', 'location'],
] as const);
