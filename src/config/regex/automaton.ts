import type { Pattern } from './parser.js';
import type { CharSet } from './ranges.js';

/**
 * The positions of a pattern (Glushkov): which character may follow which, and in how many ways. More than
 * one way counts as two: that is what ambiguity is made of.
 */
export class Automaton {
  readonly sets: CharSet[] = [];
  readonly follow: Map<number, number>[] = [];

  constructor(pattern: Pattern) {
    this.build(pattern);
  }

  private build(pattern: Pattern): Fragment {
    if (pattern.type === 'set') return this.position(pattern.set);
    if (pattern.type === 'repeat') return this.repeat(pattern.body, pattern.min, pattern.max);
    if (pattern.type === 'empty') return NOTHING;
    if (pattern.type === 'choice') return pattern.parts.map((part) => this.build(part)).reduce(choose);
    return this.sequence(pattern.parts.map((part) => () => this.build(part)));
  }

  private position(set: CharSet): Fragment {
    if (this.sets.length >= MAX_POSITIONS) throw new TooComplex();
    const index = this.sets.push(set) - 1;
    this.follow.push(new Map());
    return { nullable: false, first: new Map([[index, 1]]), last: new Map([[index, 1]]) };
  }

  private sequence(parts: readonly (() => Fragment)[]): Fragment {
    let whole = NOTHING;
    for (const part of parts) {
      const next = part();
      this.link(whole.last, next.first);
      whole = {
        nullable: whole.nullable && next.nullable,
        first: whole.nullable ? add(whole.first, next.first) : whole.first,
        last: next.nullable ? add(next.last, whole.last) : next.last,
      };
    }
    return whole;
  }

  /** Long counted repetitions of variable length are judged as loops: their cost is nearly the same. */
  private repeat(body: Pattern, min: number, max: number): Fragment {
    if (max === 0) return NOTHING;
    const copies = isFixed(body) ? MAX_FIXED_COPIES : MAX_VARIABLE_COPIES;
    if (max > copies) return this.loop(body, min === 0);
    return this.copies(body, min, max);
  }

  private loop(body: Pattern, optional: boolean): Fragment {
    const once = this.build(body);
    this.link(once.last, once.first);
    return { ...once, nullable: once.nullable || optional };
  }

  /** x{2,4} as x(x(x(x)?)?) : each further copy only after the one before. */
  private copies(body: Pattern, min: number, max: number): Fragment {
    const once = this.build(body);
    const rest = max > 1 ? this.copies(body, Math.max(0, min - 1), max - 1) : NOTHING;
    const both = this.sequence([() => once, () => rest]);
    return min === 0 ? { ...both, nullable: true } : both;
  }

  private link(from: Ways, to: Ways): void {
    for (const [a, ways] of from) {
      const next = this.follow[a]!;
      for (const [b, more] of to) next.set(b, Math.min(2, (next.get(b) ?? 0) + ways * more));
    }
  }
}

/** The pattern is too large to be judged in bounded time. */
export class TooComplex extends Error {}

type Ways = ReadonlyMap<number, number>;

interface Fragment {
  readonly nullable: boolean;
  readonly first: Ways;
  readonly last: Ways;
}

const MAX_POSITIONS = 1000;
const MAX_FIXED_COPIES = 64;
const MAX_VARIABLE_COPIES = 3;
const NOTHING: Fragment = { nullable: true, first: new Map(), last: new Map() };

function choose(a: Fragment, b: Fragment): Fragment {
  return { nullable: a.nullable || b.nullable, first: add(a.first, b.first), last: add(a.last, b.last) };
}

function add(a: Ways, b: Ways): Ways {
  const sum = new Map(a);
  for (const [position, ways] of b) sum.set(position, Math.min(2, (sum.get(position) ?? 0) + ways));
  return sum;
}

function isFixed(pattern: Pattern): boolean {
  if (pattern.type === 'repeat') return pattern.min === pattern.max && isFixed(pattern.body);
  return pattern.type === 'sequence' ? pattern.parts.every(isFixed) : pattern.type !== 'choice';
}
