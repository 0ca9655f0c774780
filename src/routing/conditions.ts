import type { RouteConfig } from '../config/route.config.js';
import type { MatchRequest } from '../exchange/snapshot.js';

/** One `headers` or `query` entry of a route. */
export interface Condition {
  holds(request: MatchRequest): boolean;
}

type ValueTest = (value: string) => boolean;

/** Compiles the header and query conditions of a route. Throws a SyntaxError for a bad regular expression. */
export function compileConditions(config: Pick<RouteConfig, 'headers' | 'query'>): Condition[] {
  const headers = Object.entries(config.headers).map(([name, value]) => headerCondition(name, value));
  const query = Object.entries(config.query).map(([name, value]) => queryCondition(name, value));
  return [...headers, ...query];
}

function headerCondition(name: string, expected: string): Condition {
  const key = name.toLowerCase();
  const test = valueTest(expected);
  return {
    holds: ({ headers }) => {
      const value: unknown = headers[key];
      if (typeof value === 'string') return test(value);
      return Array.isArray(value) && test(value.join(', '));
    },
  };
}

function queryCondition(name: string, expected: string): Condition {
  const test = valueTest(expected);
  return { holds: ({ query }) => query !== '' && parsed(query).getAll(name).some(test) };
}

/** `/…/` is a regular expression, found anywhere in the value; everything else is compared as it stands. */
function valueTest(expected: string): ValueTest {
  if (expected.length < 2 || !expected.startsWith('/') || !expected.endsWith('/')) {
    return (value) => value === expected;
  }
  const pattern = new RegExp(expected.slice(1, -1));
  return (value) => pattern.test(value);
}

// Many routes of one path may ask for the same request's query: it is parsed once.
let latest = { query: '', parameters: new URLSearchParams() };

function parsed(query: string): URLSearchParams {
  if (latest.query !== query) latest = { query, parameters: new URLSearchParams(query) };
  return latest.parameters;
}
