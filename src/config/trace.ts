import { ConfigIssue } from './errors.js';
import { LineIndex } from './source/line-index.js';

/** Where an object or list was written, and where each of its keys was. */
export interface Place {
  readonly path: string;
  readonly offset: number;
  readonly keys: Map<string | number, number>;
}

/** A value that was read out of the document, and the key there of which something is to be said. */
export interface Spot {
  readonly path: string;
  readonly offset: number;
}

/** Remembers where in the text each object and list of a document was written. */
export class Trace {
  private readonly places = new WeakMap<object, Place>();
  private readonly companions = new WeakMap<object, object>();
  private readonly lines: LineIndex;

  constructor(
    private readonly file: string,
    text: string,
  ) {
    this.lines = new LineIndex(text);
  }

  add(owner: object, path: string, offset: number): void {
    this.places.set(owner, { path, offset, keys: new Map() });
  }

  addKey(owner: object, key: string | number, offset: number): void {
    this.places.get(owner)?.keys.set(key, offset);
  }

  placeOf(owner: object): Place | undefined {
    return this.places.get(owner);
  }

  addPlace(owner: object, place: Place): void {
    this.places.set(owner, place);
  }

  /** Whether the key was written. */
  given(owner: object, key: string | number): boolean {
    return this.places.get(owner)?.keys.has(key) ?? false;
  }

  /** The keys that were written. */
  keys(owner: object): (string | number)[] {
    return [...(this.places.get(owner)?.keys.keys() ?? [])];
  }

  /** A copy speaks from the place of what it was copied from. */
  copy(from: object, to: object): void {
    const place = this.places.get(from);
    if (place) this.places.set(to, { ...place, keys: new Map(place.keys) });
  }

  /** A key that was taken over is found where it was written. */
  copyKey(from: object, to: object, key: string): void {
    const offset = this.places.get(from)?.keys.get(key);
    if (offset !== undefined) this.addKey(to, key, offset);
  }

  /** The object of a second class that was read out of the same map. */
  companion(owner: object): object | undefined {
    return this.companions.get(owner);
  }

  setCompanion(owner: object, companion: object): void {
    this.companions.set(owner, companion);
  }

  spot(owner: object, key?: string | number): Spot {
    const place = this.places.get(owner) ?? { path: '', offset: 0, keys: new Map<string | number, number>() };
    if (key === undefined) return place;
    return { path: joinPath(place.path, key), offset: place.keys.get(key) ?? place.offset };
  }

  line(owner: object, key?: string | number): number {
    return this.lines.position(this.spot(owner, key).offset).line;
  }

  issue(spot: Spot, message: string): ConfigIssue {
    const { line, column } = this.lines.position(spot.offset);
    return new ConfigIssue(this.file, line, column, spot.path, message);
  }
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!PLAIN_KEY.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}
