import type { RoutePath } from '../config/route-path.js';
import type { Route } from '../exchange/route.js';
import type { MatchRequest, RouteMatch } from '../exchange/snapshot.js';
import { decodeSegment } from './canonical-path.js';
import { compileConditions, type Condition } from './conditions.js';

interface Parameter {
  readonly name: string;
  /** Which segment of the path, from 0. */
  readonly index: number;
}

const NO_PARAMETERS: readonly Parameter[] = [];
const NO_CONDITIONS: readonly Condition[] = [];
const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze(Object.create(null));

/** A route at its place in the trie: what is left to judge when the path fits. It is its own plain match. */
export class Candidate implements RouteMatch {
  readonly params = NO_PARAMS;
  /** Header and query conditions: candidates with more of them come first. */
  readonly conditions: readonly Condition[];
  /** The next one to ask at the same place; set while the table is built. */
  next: Candidate | null = null;
  private readonly parameters: readonly Parameter[];

  constructor(
    readonly route: Route,
    path: RoutePath,
    /** Null = all. */
    readonly methods: ReadonlySet<string> | null,
  ) {
    const conditions = compileConditions(route.config);
    this.conditions = conditions.length === 0 ? NO_CONDITIONS : conditions;
    const parameters = parametersOf(path);
    this.parameters = parameters.length === 0 ? NO_PARAMETERS : parameters;
  }

  takesMethod(method: string): boolean {
    return this.methods === null || this.methods.has(method);
  }

  /** Whether every header and query condition holds. */
  meetsConditions(request: MatchRequest): boolean {
    for (const condition of this.conditions) if (!condition.holds(request)) return false;
    return true;
  }

  /** The match for a path that fits; without parameters it is the same object each time. */
  matchFor(path: string): RouteMatch {
    if (this.parameters.length === 0) return this;
    return { route: this.route, params: this.paramsOf(path) };
  }

  private paramsOf(path: string): Readonly<Record<string, string>> {
    const params = Object.create(null) as Record<string, string>;
    let segment = 0;
    let start = 1;
    for (const { name, index } of this.parameters) {
      for (; segment < index; segment++) start = path.indexOf('/', start) + 1;
      const end = path.indexOf('/', start);
      params[name] = decodeSegment(path.slice(start, end < 0 ? path.length : end));
    }
    return params;
  }
}

function parametersOf(path: RoutePath): Parameter[] {
  return path.segments.flatMap((segment, index) =>
    'param' in segment ? [{ name: segment.param, index }] : [],
  );
}
