import { normalisedUrl } from '../../common/normalised-url.js';
import type { DocumentConfig } from '../document.config.js';
import { HealthCheckConfig } from '../health-check.config.js';
import type { Report } from '../report.js';
import type { RouteConfig } from '../route.config.js';
import { copyMark, hiddenAs, hide } from '../secrets.js';
import type { BackendConfig, UpstreamConfig } from '../upstream.config.js';

type Upstreams = Record<string, UpstreamConfig>;

/** The declared upstreams and those written inside routes, each with what it inherits. */
export function collectUpstreams(
  document: DocumentConfig,
  routes: readonly RouteConfig[],
  report: Report,
): Upstreams {
  const upstreams = Object.assign(Object.create(null) as Upstreams, document.upstreams);
  const declared = new Set(report.trace.keys(document.upstreams).map(String));
  for (const route of routes) moveInline(route, upstreams, declared, report);
  for (const upstream of Object.values(upstreams)) complete(upstream, document, report);
  return upstreams;
}

function moveInline(
  route: RouteConfig,
  upstreams: Upstreams,
  declared: ReadonlySet<string>,
  report: Report,
): void {
  const { trace } = report;
  const inline = trace.companion(route) as UpstreamConfig | undefined;
  if (!inline) return;
  if (!trace.given(inline, 'backends')) return refuseStray(inline, report);
  for (const key of ['upstream', 'split'] as const) {
    if (trace.given(route, key)) report.at(route, key, 'stands beside `backends`, expected one of the two');
  }
  if (declared.has(route.id)) {
    const message = `make an upstream named ${route.id} like the route, but \`upstreams\` declares one too`;
    report.at(inline, 'backends', `${message}, expected another id of the route`);
  }
  route.upstream = route.id;
  upstreams[route.id] ??= inline;
}

function refuseStray(inline: UpstreamConfig, report: Report): void {
  for (const key of report.trace.keys(inline)) {
    report.at(inline, key, 'belongs to an upstream, expected it there or `backends` beside it');
  }
}

function complete(upstream: UpstreamConfig, document: DocumentConfig, report: Report): void {
  upstream.health_check = healthCheck(upstream, document, report);
  upstream.rate_limit = document.rate_limit_per_upstream;
  for (const backend of upstream.backends) nameBackend(backend);
}

function nameBackend(backend: BackendConfig): void {
  if (backend.id !== null) return;
  backend.id = normalisedUrl(backend.url);
  const shown = hiddenAs(backend, 'url');
  if (shown !== undefined) hide(backend, 'id', shown);
}

function healthCheck(
  upstream: UpstreamConfig,
  document: DocumentConfig,
  report: Report,
): HealthCheckConfig | null {
  const global = document.health_check || null;
  // As written: false and null mean none.
  const own: HealthCheckConfig | false | null = upstream.health_check;
  if (!report.trace.given(upstream, 'health_check')) return global;
  return own && global ? merged(own, global, report) : own || null;
}

/** What the upstream says over what the document says. */
function merged(own: HealthCheckConfig, global: HealthCheckConfig, { trace }: Report): HealthCheckConfig {
  const result = Object.assign(new HealthCheckConfig(), global);
  trace.copy(global, result);
  for (const key of Object.keys(global)) copyMark(global, result, key);
  for (const key of trace.keys(own).map(String)) {
    Reflect.set(result, key, Reflect.get(own, key));
    copyMark(own, result, key);
  }
  return result;
}
