import { type Automaton, TooComplex } from './automaton.js';
import { intersects } from './ranges.js';

const MAX_LOOP = 200;

/**
 * Whether some text can be read inside a loop in two ways and come back to where it began: then each round
 * doubles the ways, and a backtracking matcher takes exponential time (Weber and Seidl, 1991).
 */
export function isExponential(automaton: Automaton): boolean {
  const reach = automaton.follow.map((_, position) => reachable(automaton, position));
  const seen = new Set<number>();
  for (let position = 0; position < reach.length; position++) {
    if (seen.has(position) || !reach[position]!.has(position)) continue;
    const loop = [...reach[position]!].filter((other) => reach[other]!.has(position));
    for (const member of loop) seen.add(member);
    if (loopIsAmbiguous(automaton, new Set(loop))) return true;
  }
  return false;
}

/**
 * The power of the text's length with which a backtracking matcher's time grows, when it is not exponential: one more
 * than the loops behind each other among which one text can be divided freely (Weber and Seidl, 1991).
 */
export function powerOf(automaton: Automaton): number {
  const loops = loopsOf(automaton);
  const powers = new Map<Loop, number>();
  const divisionsFrom = (loop: Loop): number => {
    const known = powers.get(loop);
    if (known !== undefined) return known;
    let most = 0;
    for (const next of loops) {
      if (next === loop || !loop.reach.has(next.entry)) continue;
      most = Math.max(most, divisionsFrom(next) + (sharesText(automaton, loop, next) ? 1 : 0));
    }
    powers.set(loop, most);
    return most;
  };
  return 1 + Math.max(0, ...loops.map(divisionsFrom));
}

/** Positions that reach each other, by one of them. */
interface Loop {
  readonly entry: number;
  readonly members: readonly number[];
  readonly reach: ReadonlySet<number>;
}

function loopsOf(automaton: Automaton): Loop[] {
  const reach = automaton.follow.map((_, position) => reachable(automaton, position));
  const loops: Loop[] = [];
  const seen = new Set<number>();
  for (const [entry, from] of reach.entries()) {
    if (seen.has(entry) || !from.has(entry)) continue;
    const members = [...from].filter((other) => reach[other]!.has(entry));
    for (const member of members) seen.add(member);
    loops.push({ entry, members, reach: from });
  }
  return loops;
}

/** Whether a text of the one loop may also lead from it into the other and stay there: each step fits both. */
function sharesText(automaton: Automaton, from: Loop, to: Loop): boolean {
  const { sets, follow } = automaton;
  const fits = (position: number, loop: Loop): boolean =>
    loop.members.some((member) => intersects(sets[position]!, sets[member]!));
  const open = [...from.members];
  const seen = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of follow[at]!.keys()) {
      if (seen.has(next) || !fits(next, from) || !fits(next, to)) continue;
      if (to.members.includes(next)) return true;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

function reachable(automaton: Automaton, from: number): Set<number> {
  const found = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of automaton.follow[at]!.keys()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

/** Walks the loop with two fingers from one place: do they part over the same text and meet again? */
function loopIsAmbiguous(automaton: Automaton, loop: ReadonlySet<number>): boolean {
  if (loop.size > MAX_LOOP) throw new TooComplex();
  const back = new Map<number, number[]>();
  const open: number[] = [];
  for (const position of loop) open.push(pairOf(position, position));
  const seen = new Set(open);
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    for (const next of steps(automaton, loop, pair)) {
      if (next === TWICE) return true;
      back.set(next, [...(back.get(next) ?? []), pair]);
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return partedMeetAgain(back, loop);
}

function partedMeetAgain(back: ReadonlyMap<number, readonly number[]>, loop: ReadonlySet<number>): boolean {
  const open = [...loop].map((position) => pairOf(position, position));
  const seen = new Set(open);
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (Math.floor(pair / WIDTH) !== pair % WIDTH) return true;
    for (const before of back.get(pair) ?? []) {
      if (!seen.has(before)) open.push(before);
      seen.add(before);
    }
  }
  return false;
}

function steps(automaton: Automaton, loop: ReadonlySet<number>, pair: number): number[] {
  const a = Math.floor(pair / WIDTH);
  const b = pair % WIDTH;
  const next: number[] = [];
  for (const [left, ways] of automaton.follow[a]!) {
    if (!loop.has(left)) continue;
    if (a === b && ways > 1) return [TWICE];
    for (const right of automaton.follow[b]!.keys()) {
      if (loop.has(right) && intersects(automaton.sets[left]!, automaton.sets[right]!))
        next.push(pairOf(left, right));
    }
  }
  return next;
}

const WIDTH = 4096;
const TWICE = -1;
const pairOf = (a: number, b: number): number => a * WIDTH + b;
