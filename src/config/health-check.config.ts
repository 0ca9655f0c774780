import type { Duration } from '../common/duration.js';

/** A status that a probe accepts: a number, a range "200-399", or a list of either. */
export type ExpectedStatus = number | string | (number | string)[];

export class HealthCheckConfig {
  type: 'http' | 'tcp' = 'http';
  path = '/health';
  interval: Duration = '5s';
  timeout: Duration = '2s';
  healthy_threshold = 2;
  unhealthy_threshold = 3;
  expected_status: ExpectedStatus = 200;
  host: string | null = null;
}
