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
    switch (name) {
      case 'expires':
        this.expires.push(value);
        break;
      case 'age':
        this.age = this.age === null ? value : `${this.age}, ${value}`;
        break;
      case 'date':
        this.date ??= value;
        break;
      case 'vary':
        this.vary = this.vary === null ? value : `${this.vary}, ${value}`;
        break;
      case 'etag':
        this.etag ??= value;
        break;
      case 'last-modified':
        this.lastModified ??= value;
        break;
      case 'content-type':
        this.contentType ??= value;
        break;
      case 'content-location':
        this.contentLocation ??= value;
        break;
      case 'location':
        this.location ??= value;
        break;
      case 'set-cookie':
      case 'set-cookie2':
        this.setsCookies = true;
        break;
    }
  }
}
