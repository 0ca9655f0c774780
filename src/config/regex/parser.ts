import { type CharSet, complement, DIGITS, LINE_ENDS, single, SPACE, WORD } from './ranges.js';

/** A regular expression as far as its ambiguity depends on it. */
export type Pattern =
  | { readonly type: 'empty' }
  | { readonly type: 'set'; readonly set: CharSet }
  | { readonly type: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly type: 'choice'; readonly parts: readonly Pattern[] }
  | { readonly type: 'repeat'; readonly body: Pattern; readonly min: number; readonly max: number };

export interface ParsedRegex {
  readonly pattern: Pattern;
  /** Bodies of look-arounds: they match on their own. */
  readonly lookarounds: readonly Pattern[];
  readonly backreference: boolean;
}

const EMPTY: Pattern = { type: 'empty' };
const GROUP_HEAD = /\(\?(?:(=|!|<=|<!)|:|<[^>]*>|[a-z-]*:)/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const CLASSES: Record<string, CharSet> = { d: DIGITS, w: WORD, s: SPACE };
const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0, b: 8 };

/** Parses a source that `new RegExp(source)` has accepted. */
export function parseRegex(source: string): ParsedRegex {
  return new RegexParser(source).parse();
}

class RegexParser {
  private at = 0;
  private readonly lookarounds: Pattern[] = [];
  private backreference = false;

  constructor(private readonly source: string) {}

  parse(): ParsedRegex {
    const pattern = this.choice();
    return { pattern, lookarounds: this.lookarounds, backreference: this.backreference };
  }

  private choice(): Pattern {
    const parts = [this.sequence()];
    while (this.source[this.at] === '|') {
      this.at += 1;
      parts.push(this.sequence());
    }
    return parts.length === 1 ? parts[0]! : { type: 'choice', parts };
  }

  private sequence(): Pattern {
    const parts: Pattern[] = [];
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at]!))
      parts.push(this.quantified());
    return { type: 'sequence', parts };
  }

  private quantified(): Pattern {
    const body = this.atom();
    QUANTIFIER.lastIndex = this.at;
    const found = QUANTIFIER.exec(this.source);
    if (!found) return body;
    this.at += found[0].length;
    const [, sign, low, comma, high] = found;
    if (sign !== undefined)
      return { type: 'repeat', body, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const min = Number(low);
    const open = high === '' || high === undefined;
    return { type: 'repeat', body, min, max: comma === undefined ? min : open ? Infinity : Number(high) };
  }

  private atom(): Pattern {
    const sign = this.source[this.at]!;
    if (sign === '(') return this.group();
    if (sign === '[') return { type: 'set', set: this.charClass() };
    if (sign === '\\') return this.escape();
    this.at += 1;
    if (sign === '^' || sign === '$') return EMPTY;
    return { type: 'set', set: sign === '.' ? complement(LINE_ENDS) : single(sign.charCodeAt(0)) };
  }

  private group(): Pattern {
    GROUP_HEAD.lastIndex = this.at;
    const head = GROUP_HEAD.exec(this.source);
    this.at += head ? head[0].length : 1;
    const body = this.choice();
    this.at += 1;
    if (head?.[1] === undefined) return body;
    this.lookarounds.push(body);
    return EMPTY;
  }

  private escape(): Pattern {
    const sign = this.source[this.at + 1]!;
    if (sign === 'b' || sign === 'B') {
      this.at += 2;
      return EMPTY;
    }
    if (/[1-9k]/.test(sign)) this.backreference = true;
    return { type: 'set', set: this.escapedSet() };
  }

  private escapedSet(): CharSet {
    const sign = this.source[this.at + 1]!;
    const set = CLASSES[sign.toLowerCase()];
    if (set) {
      this.at += 2;
      return sign === sign.toLowerCase() ? set : complement(set);
    }
    const code = /^\\(?:x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4}))/.exec(this.source.slice(this.at, this.at + 6));
    this.at += code ? code[0].length : 2;
    if (code) return single(Number.parseInt(code[1] ?? code[2]!, 16));
    if (sign === 'c') return single(this.source.charCodeAt(this.at++) % 32);
    return single(CONTROLS[sign] ?? sign.charCodeAt(0));
  }

  private charClass(): CharSet {
    this.at += 1;
    const negated = this.source[this.at] === '^';
    if (negated) this.at += 1;
    const set: (readonly [number, number])[] = [];
    while (this.source[this.at] !== ']') {
      const from = this.classMember();
      const range = this.source[this.at] === '-' && this.source[this.at + 1] !== ']' && from.length === 1;
      if (!range) {
        set.push(...from);
        continue;
      }
      this.at += 1;
      const to = this.classMember();
      set.push([from[0]![0], to.at(-1)![1]]);
    }
    this.at += 1;
    return negated ? complement(set) : set;
  }

  private classMember(): CharSet {
    if (this.source[this.at] === '\\') return this.escapedSet();
    this.at += 1;
    return single(this.source.charCodeAt(this.at - 1));
  }
}
