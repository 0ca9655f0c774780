import type { MetricsConfig } from '../config/observability.config.js';

const PREFIXES = ['/health', '/_gateway'] as const;

/**
 * Whether a canonical path belongs to the gateway itself. These come before any route, so that no `path: /`
 * can take the probes of an orchestrator away.
 */
export function isOwnEndpoint(path: string, metrics: Readonly<MetricsConfig>): boolean {
  const second = path.charCodeAt(1);
  if (second === 0x68 || second === 0x5f) return PREFIXES.some((prefix) => isUnder(path, prefix));
  return metrics.enabled && isUnder(path, metrics.path);
}

function isUnder(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}
