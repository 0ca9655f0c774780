import { setImmediate } from 'node:timers/promises';

import { parseRoutePath } from '../config/route-path.js';
import type { Route } from '../exchange/route.js';
import type { MatchRequest, RouteMatch, RouteMatcher } from '../exchange/snapshot.js';
import { Candidate } from './candidate.js';
import { type Judge, PathNode } from './path-trie.js';

/** What a route without `methods` is shown to take. */
const COMMON_METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const NO_HEADERS = Object.freeze({});

const takes: Judge = (candidate, request) =>
  candidate.takesMethod(request.method) && candidate.meetsConditions(request);
const takesMethod: Judge = (candidate, request) => candidate.takesMethod(request.method);

/** All routes of a snapshot, ordered as docs/routing.md says: one trie for each host tier. Immutable. */
export class RouteTable implements RouteMatcher {
  private readonly exactHosts = new Map<string, PathNode>();
  /** By what follows the asterisk: `.example.com`. */
  private readonly wildcardHosts = new Map<string, PathNode>();
  private readonly anyHost = new PathNode();
  /** Routes with the same methods share one set. */
  private readonly methodSets = new Map<string, ReadonlySet<string>>();

  private constructor() {}

  /** Builds the table in one go. Routes come in the order of the document. */
  static build(routes: readonly Route[]): RouteTable {
    const table = new RouteTable();
    for (const route of routes) table.insert(route);
    return table;
  }

  /** Builds the same table, letting the event loop run after every `slice` routes (about 10 µs each). */
  static async buildSliced(routes: readonly Route[], slice = 200): Promise<RouteTable> {
    const table = new RouteTable();
    for (const [index, route] of routes.entries()) {
      // eslint-disable-next-line no-await-in-loop -- one slice after the other is the point.
      if (index > 0 && index % slice === 0) await setImmediate();
      table.insert(route);
    }
    return table;
  }

  /** The route that takes the request; null when none does (405 or 404: see `allowedMethods`). */
  match(request: MatchRequest): RouteMatch | null {
    const found = this.search(request, takes);
    return found === null ? null : found.matchFor(request.path);
  }

  /** The route for a CORS preflight: by path, host and the method it asks for alone. */
  matchPreflight(path: string, host: string | null, requestedMethod: string): RouteMatch | null {
    const request = { method: requestedMethod, path, host, headers: NO_HEADERS, query: '' };
    const found = this.search(request, takesMethod);
    return found === null ? null : found.matchFor(path);
  }

  /** The methods of all routes that match but for the method, HEAD included, sorted; empty for a 404. */
  allowedMethods(request: MatchRequest): string[] {
    const methods = new Set<string>();
    this.search(request, (candidate) => {
      if (!candidate.meetsConditions(request)) return false;
      for (const method of candidate.methods ?? COMMON_METHODS) methods.add(method);
      return false;
    });
    return [...methods].toSorted();
  }

  private search(request: MatchRequest, judge: Judge): Candidate | null {
    const found = request.host === null ? null : this.searchHosts(request.host, request, judge);
    return found ?? this.anyHost.search(1, request, judge);
  }

  private searchHosts(host: string, request: MatchRequest, judge: Judge): Candidate | null {
    const exact = this.exactHosts.get(host);
    const found = exact === undefined ? null : exact.search(1, request, judge);
    return found === null && this.wildcardHosts.size > 0 ? this.searchWildcards(host, request, judge) : found;
  }

  /** The longest suffix first. */
  private searchWildcards(host: string, request: MatchRequest, judge: Judge): Candidate | null {
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const node = this.wildcardHosts.get(host.slice(dot));
      const found = node === undefined ? null : node.search(1, request, judge);
      if (found !== null) return found;
    }
    return null;
  }

  private insert(route: Route): void {
    const path = parseRoutePath(route.config.path);
    const methods = this.methodsOf(route.config.methods);
    for (const node of this.nodesFor(route.config.hosts)) {
      node.insert(path, new Candidate(route, path, methods));
    }
  }

  /** RFC 9110 §9.3.2: whoever answers GET answers HEAD. */
  private methodsOf(methods: readonly string[] | null): ReadonlySet<string> | null {
    if (methods === null) return null;
    const key = methods.join(' ');
    let set = this.methodSets.get(key);
    if (set === undefined) {
      set = new Set(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
      this.methodSets.set(key, set);
    }
    return set;
  }

  private nodesFor(hosts: readonly string[]): Iterable<PathNode> {
    return hosts.length === 0 ? [this.anyHost] : new Set(hosts.map((host) => this.nodeFor(host)));
  }

  private nodeFor(host: string): PathNode {
    const name = host.toLowerCase().replace(/\.$/, '');
    const wildcard = name.startsWith('*');
    const tier = wildcard ? this.wildcardHosts : this.exactHosts;
    const key = wildcard ? name.slice(1) : name;
    let node = tier.get(key);
    if (node === undefined) tier.set(key, (node = new PathNode()));
    return node;
  }
}
