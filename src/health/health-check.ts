import { durationMs } from '../common/duration.js';
import type { HealthCheckConfig } from '../config/health-check.config.js';
import { httpProbe } from './http-probe.js';
import type { Probe } from './probe.js';
import { tcpProbe } from './tcp-probe.js';

/** How the backends of an upstream are probed, compiled. */
export interface HealthCheck {
  readonly config: Readonly<HealthCheckConfig>;
  /** Equal for equal settings. */
  readonly key: string;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly probe: Probe;
}

export function compileHealthCheck(config: Readonly<HealthCheckConfig>): HealthCheck {
  return {
    config,
    key: JSON.stringify(config),
    intervalMs: durationMs(config.interval),
    timeoutMs: durationMs(config.timeout),
    probe: config.type === 'tcp' ? tcpProbe : httpProbe(config),
  };
}
