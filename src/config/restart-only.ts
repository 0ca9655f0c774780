import { isDeepStrictEqual } from 'node:util';

import type { GatewayConfig } from './gateway.config.js';

/** What a running process cannot change: the key, and the part of a document that has to stay the same. */
const RESTART_ONLY: readonly (readonly [key: string, part: (config: Readonly<GatewayConfig>) => unknown])[] =
  [
    ['server.host', ({ server }) => server.host],
    ['server.port', ({ server }) => server.port],
    ['server.max_header_size', ({ server }) => server.max_header_size],
    ['server.tls', ({ server }) => server.tls !== null],
    ['admin', ({ admin }) => admin],
    ['logging', ({ logging }) => logging],
    ['metrics', ({ metrics }) => metrics],
    ['tracing', ({ tracing }) => tracing],
    ['history.file', ({ history }) => history.file],
    ['extensions', ({ extensions }) => extensions],
  ];

/** The keys that differ although only a restart could change them; empty when a reload may go on. */
export function restartOnlyChanges(
  before: Readonly<GatewayConfig>,
  after: Readonly<GatewayConfig>,
): string[] {
  return RESTART_ONLY.filter(([, part]) => !isDeepStrictEqual(part(before), part(after))).map(([key]) => key);
}
