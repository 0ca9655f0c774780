import { GatewayConfig } from './gateway.config.js';
import { HealthCheckConfig } from './health-check.config.js';
import { either, listOf, nested, orNull, orOff } from './keys/composites.js';
import { routePath } from './keys/formats.js';
import { Key, KeysOf } from './keys/key.js';
import { freeText, integer, oneOf } from './keys/scalars.js';
import { type RateLimitConfig, TotalRateLimitConfig } from './rate-limit.config.js';
import { CompressionConfig, CorsConfig } from './response.config.js';
import { GROUP_KEYS, RouteConfig } from './route.config.js';
import { UpstreamConfig } from './upstream.config.js';

/** Routes under one path with policies in common; any of {@link GROUP_KEYS} may stand beside `routes`. */
@KeysOf(RouteConfig, GROUP_KEYS)
export class GroupConfig {
  @Key(routePath(), 'Put in front of the path of each route.')
  path = '/';

  @Key(listOf(nested(RouteConfig, UpstreamConfig), { min: 1 }), 'The routes of the group.', {
    required: true,
  })
  routes: RouteConfig[] = [];
}

/** What an operator writes: the document's keys that routes and upstreams take over, beside the rest. */
export class DocumentConfig extends GatewayConfig {
  @Key(orNull(freeText()), 'Names the JSON Schema for editors; without effect.')
  $schema: string | null = null;

  @Key(integer({ min: 1, max: 65_535 }), 'Short for server.port.', { absent: 8080 })
  port: number | undefined = undefined;

  @Key(
    orNull(either(oneOf(false), nested(HealthCheckConfig))),
    'Active probes of every upstream; leave it out = none.',
  )
  health_check: HealthCheckConfig | false | null = null;

  @Key(orNull(nested(TotalRateLimitConfig)), 'A limit for each upstream.')
  rate_limit_per_upstream: RateLimitConfig | null = null;

  @Key(orOff(either(oneOf(false), nested(CorsConfig))), 'CORS of routes that say nothing; null = off.')
  cors: CorsConfig | null = null;

  @Key(orOff(either(oneOf(false), nested(CompressionConfig))), 'Compression of routes that say nothing.')
  compression: CompressionConfig | null = null;

  @Key(listOf(nested(GroupConfig)), 'Policies for many routes at once.')
  groups: GroupConfig[] = [];
}
