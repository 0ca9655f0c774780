import type { Duration } from '../common/duration.js';
import { either, listOf, orNull } from './keys/composites.js';
import { hostHeader, requestPath, status, statuses } from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, integer, oneOf } from './keys/scalars.js';

/** A status that a probe accepts: a number, a range "200-399", or a list of either. */
export type ExpectedStatus = number | string | (number | string)[];

const threshold = integer({ min: 1, max: 1000 });
const [, range] = statuses().members;

export class HealthCheckConfig {
  @Key(oneOf('http', 'tcp'), 'What a probe does: ask for a path, or connect only.')
  type: 'http' | 'tcp' = 'http';

  @Key(requestPath(), 'Path that a backend is asked for.')
  path = '/health';

  @Key(duration(), 'Time between two probes of a backend; above the timeout.')
  interval: Duration = '5s';

  @Key(duration(), 'Longest time for one probe.')
  timeout: Duration = '2s';

  @Key(threshold, 'Successes in a row that make a backend healthy.')
  healthy_threshold = 2;

  @Key(threshold, 'Failures in a row that make a backend unhealthy.')
  unhealthy_threshold = 3;

  @Key(
    either(status(), range!, listOf(statuses(), { min: 1 })),
    'Statuses of a healthy backend: a number, a range such as 200-399, or a list of either.',
  )
  expected_status: ExpectedStatus = 200;

  @Key(orNull(hostHeader()), "Host header of the probe; null = the backend's own.")
  host: string | null = null;
}
