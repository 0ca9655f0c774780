import { type MapEntry, MAX_DEPTH, type Source, type SourceNode } from './node.js';

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\]|\\[^])*"/y;
const WORD = /true|false|null/y;

/** Reads JSON as RFC 8259 has it: no comments, no trailing commas. Stops at the first fault. */
export function readJson(text: string): Source {
  try {
    return { root: new JsonReader(text).document(), problems: [] };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { root: null, problems: [{ offset: error.offset, message: error.message }] };
  }
}

class JsonFault extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

class JsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  document(): SourceNode | null {
    this.match(SPACE);
    if (this.at === this.text.length) return null;
    const root = this.value(0);
    if (this.at < this.text.length)
      throw this.fault('the document goes on after its end, expected nothing more');
    return root;
  }

  private value(depth: number): SourceNode {
    if (depth > MAX_DEPTH) throw this.fault(`is nested too deeply, expected at most ${MAX_DEPTH} levels`);
    const node = this.bare(depth);
    this.match(SPACE);
    return node;
  }

  private bare(depth: number): SourceNode {
    const offset = this.at;
    const first = this.text[offset];
    if (first === '{') return { kind: 'map', offset, entries: this.entries(depth) };
    if (first === '[') return { kind: 'list', offset, items: this.items(depth) };
    if (first === '"') return { kind: 'scalar', offset, value: this.string() };
    const word = this.match(WORD);
    if (word) return { kind: 'scalar', offset, value: JSON.parse(word) as boolean | null };
    const number = this.match(NUMBER);
    if (number) return { kind: 'scalar', offset, value: Number(number) };
    throw this.fault('is not JSON, expected a value');
  }

  private entries(depth: number): MapEntry[] {
    const entries: MapEntry[] = [];
    this.series('}', () => {
      const keyOffset = this.at;
      if (this.text[keyOffset] !== '"') throw this.fault('is not JSON, expected a key in double quotes');
      const key = this.string();
      this.match(SPACE);
      this.take(':');
      entries.push({ key, keyOffset, value: this.value(depth + 1) });
    });
    return entries;
  }

  private items(depth: number): SourceNode[] {
    const items: SourceNode[] = [];
    this.series(']', () => items.push(this.value(depth + 1)));
    return items;
  }

  private series(end: string, member: () => void): void {
    this.at += 1;
    this.match(SPACE);
    if (this.text[this.at] !== end) {
      member();
      while (this.text[this.at] === ',') {
        this.take(',');
        member();
      }
    }
    if (this.text[this.at] !== end) throw this.fault(`is not JSON, expected , or ${end}`);
    this.at += 1;
  }

  private take(sign: string): void {
    if (this.text[this.at] !== sign) throw this.fault(`is not JSON, expected ${sign}`);
    this.at += 1;
    this.match(SPACE);
  }

  private string(): string {
    const start = this.at;
    const token = this.match(STRING);
    try {
      return JSON.parse(token) as string;
    } catch {
      throw new JsonFault(
        start,
        'is not a JSON string, expected closed quotes, known escapes and no line break',
      );
    }
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private fault(message: string): JsonFault {
    return new JsonFault(this.at, message);
  }
}
