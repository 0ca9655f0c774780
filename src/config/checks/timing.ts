import { durationMs } from '../../common/duration.js';
import type { Draft } from '../draft.js';
import type { HealthCheckConfig } from '../health-check.config.js';
import { shown } from '../secrets.js';

/** Times that must fit each other. */
export function checkTiming(draft: Draft): void {
  const { document, upstreams, routes, report } = draft;
  if (document.health_check) checkProbes(draft, document.health_check);
  for (const upstream of Object.values(upstreams)) {
    const probes = upstream.health_check;
    if (probes && probes !== document.health_check) checkProbes(draft, probes, upstream);
  }
  for (const { retry } of routes) {
    if (!retry || durationMs(retry.max_backoff) >= durationMs(retry.backoff)) continue;
    report.at(
      retry,
      'max_backoff',
      `${shown(retry, 'max_backoff')} is below backoff (${shown(retry, 'backoff')}), expected at least that`,
    );
  }
}

/** A merged check speaks from the upstream that made it so. */
function checkProbes({ report }: Draft, probes: HealthCheckConfig, upstream?: object): void {
  if (durationMs(probes.interval) > durationMs(probes.timeout)) return;
  const message = `${shown(probes, 'interval')} is not above timeout (${shown(probes, 'timeout')}), expected a longer interval`;
  if (upstream) report.at(upstream, 'health_check', `interval ${message}`);
  else report.at(probes, 'interval', message);
}
