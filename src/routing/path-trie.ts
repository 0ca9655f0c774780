import type { PathSegment, RoutePath } from '../config/route-path.js';
import type { MatchRequest } from '../exchange/snapshot.js';
import type { Candidate } from './candidate.js';
import { canonicalSegment } from './canonical-path.js';

/** Judges a candidate whose path fits: true ends the search with it. */
export type Judge = (candidate: Candidate, request: MatchRequest) => boolean;

/**
 * One segment of the configured paths. Built once, then only read. Most nodes have few children and routes,
 * and thousands of them compete for the processor's caches: hence the nulls and the linked candidates.
 */
export class PathNode {
  private literals: Map<string, PathNode> | null = null;
  private parameter: PathNode | null = null;
  /** Routes that end here, each the first of its list: prefixes, and exact ones without and with a trailing slash. */
  private prefix: Candidate | null = null;
  private exact: Candidate | null = null;
  private exactWithSlash: Candidate | null = null;

  /** Adds a candidate of its own under a configured path; they come in the order of the document. */
  insert(path: RoutePath, candidate: Candidate): void {
    const node = path.segments.reduce<PathNode>((parent, segment) => parent.childFor(segment), this);
    const list = node.listFor(path, candidate.route.config.exact);
    node[list] = inserted(node[list], candidate);
  }

  /**
   * The first candidate that the judge takes, in the order of docs/routing.md. `start` is where the next
   * segment of the canonical path begins, one past the path's length when there is none. Every node is
   * visited at most once, so a search is bounded by the table and by 2^depth, whatever the request.
   */
  search(start: number, request: MatchRequest, judge: Judge): Candidate | null {
    const { path } = request;
    if (start < path.length && (this.literals !== null || this.parameter !== null)) {
      const found = this.searchChildren(start, request, judge);
      if (found !== null) return found;
    }
    // The path ends with this node's segment, or only a trailing slash follows it.
    const exact = start > path.length ? this.exact : start === path.length ? this.exactWithSlash : null;
    const found = exact === null ? null : firstOf(exact, request, judge);
    return found ?? firstOf(this.prefix, request, judge);
  }

  private searchChildren(start: number, request: MatchRequest, judge: Judge): Candidate | null {
    const { path } = request;
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    // An empty segment is none that could be configured.
    if (end === start) return null;
    const child = this.literals?.get(path.slice(start, end));
    const found = child === undefined ? null : child.search(end + 1, request, judge);
    return found === null && this.parameter !== null ? this.parameter.search(end + 1, request, judge) : found;
  }

  private childFor(segment: PathSegment): PathNode {
    if ('param' in segment) return (this.parameter ??= new PathNode());
    this.literals ??= new Map();
    const literal = canonicalSegment(segment.literal);
    let child = this.literals.get(literal);
    if (child === undefined) this.literals.set(literal, (child = new PathNode()));
    return child;
  }

  private listFor(path: RoutePath, exact: boolean): 'prefix' | 'exact' | 'exactWithSlash' {
    if (!exact) return 'prefix';
    // `/` is a trailing slash and nothing else.
    return path.trailingSlash || path.segments.length === 0 ? 'exactWithSlash' : 'exact';
  }
}

function firstOf(list: Candidate | null, request: MatchRequest, judge: Judge): Candidate | null {
  let candidate = list;
  while (candidate !== null && !judge(candidate, request)) candidate = candidate.next;
  return candidate;
}

/** The list's first candidate afterwards: more conditions before fewer, then the order of the document. */
function inserted(first: Candidate | null, candidate: Candidate): Candidate {
  let before: Candidate | null = null;
  let after = first;
  while (after !== null && after.conditions.length >= candidate.conditions.length) {
    before = after;
    after = after.next;
  }
  candidate.next = after;
  if (before === null) return candidate;
  before.next = candidate;
  return first!;
}
