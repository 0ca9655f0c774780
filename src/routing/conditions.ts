import { headerTest, valueTest } from '../common/header-test.js';
import type { RouteConfig } from '../config/route.config.js';
import type { MatchRequest } from '../exchange/snapshot.js';

/** One `headers` or `query` entry of a route. */
export interface Condition {
  holds(request: MatchRequest): boolean;
}

/** Compiles the header and query conditions of a route. Throws a SyntaxError for a bad regular expression. */
export function compileConditions(config: Pick<RouteConfig, 'headers' | 'query'>): Condition[] {
  const headers = Object.entries(config.headers).map(([name, value]) => headerCondition(name, value));
  const query = Object.entries(config.query).map(([name, value]) => queryCondition(name, value));
  return [...headers, ...query];
}

function headerCondition(name: string, expected: string): Condition {
  const test = headerTest(name, expected);
  return { holds: ({ headers }) => test(headers) };
}

function queryCondition(name: string, expected: string): Condition {
  const test = valueTest(expected);
  return { holds: ({ query }) => query !== '' && parsed(query).getAll(name).some(test) };
}

// Many routes of one path may ask for the same request's query: it is parsed once.
let latest = { query: '', parameters: new URLSearchParams() };

function parsed(query: string): URLSearchParams {
  if (latest.query !== query) latest = { query, parameters: new URLSearchParams(query) };
  return latest.parameters;
}
