import { isDeepStrictEqual } from 'node:util';

import type { ConfigIssue } from './errors.js';
import type { GatewayConfig } from './gateway.config.js';
import { issueAt } from './places.js';

type Part = (config: Readonly<GatewayConfig>) => unknown;

/** What a running process cannot change: the key, and the part of a document that has to stay the same. */
const RESTART_ONLY: readonly (readonly [key: string, part: Part])[] = [
  ['server.host', ({ server }) => server.host],
  ['server.port', ({ server }) => server.port],
  ['server.max_header_size', ({ server }) => server.max_header_size],
  ['server.tls', ({ server }) => server.tls !== null],
  ['admin', ({ admin }) => admin],
  ['logging.format', ({ logging }) => logging.format],
  ['metrics', ({ metrics }) => metrics],
  ['tracing', ({ tracing }) => tracing],
  ['history.file', ({ history }) => history.file],
  ['extensions', ({ extensions }) => extensions],
];

/**
 * One for each key that differs although only a restart could change it, the innermost (`admin.port`), at its place in
 * the new document; empty when a reload may go on.
 */
export function restartOnlyIssues(
  before: Readonly<GatewayConfig>,
  after: Readonly<GatewayConfig>,
): ConfigIssue[] {
  return RESTART_ONLY.flatMap(([key, part]) => differences(key, part(before), part(after))).map((path) =>
    issueAt(
      after,
      path,
      'differs from what runs and changes only with a restart, expected the same as before',
    ),
  );
}

function differences(key: string, before: unknown, after: unknown): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [key];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => differences(`${key}.${name}`, before[name], after[name]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
