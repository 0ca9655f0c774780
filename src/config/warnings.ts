import { X509Certificate } from 'node:crypto';

import { needsSecure } from '../common/cookies.js';
import { conditionsKey } from './checks/routes.js';
import { isHttps } from './checks/upstream-tls.js';
import type { ConfigIssue } from './errors.js';
import type { GatewayConfig } from './gateway.config.js';
import { idleKeys } from './idle-keys.js';
import { traceOf } from './places.js';
import { parseRoutePath, pathShape } from './route-path.js';
import type { RouteConfig } from './route.config.js';
import { readListenerTlsFiles } from './tls-files.js';
import type { Trace } from './trace.js';
import type { StickyConfig } from './upstream.config.js';

/** What holds but is hardly meant: certificates that are over, routes that can never be reached, each with the one that shadows it; keys that do nothing. */
export function configWarnings(config: GatewayConfig): ConfigIssue[] {
  const trace = traceOf(config);
  if (!trace) return [];
  return [
    ...expired(config, trace),
    ...shadowed(config.routes, trace),
    ...stickiness(config, trace),
    ...unprotected(config, trace),
    ...idleKeys(config, trace),
  ];
}

/** Certificates of the listeners that are over: clients refuse them. */
function expired({ server, admin }: GatewayConfig, trace: Trace): ConfigIssue[] {
  return [server, admin].flatMap(({ tls }) => {
    if (tls === null) return [];
    const { cert } = readListenerTlsFiles(tls).files;
    const until = cert === null ? null : new X509Certificate(cert).validToDate;
    if (until === null || until.getTime() > Date.now()) return [];
    return [trace.issue(trace.spot(tls, 'cert_file'), `the certificate ended on ${until.toISOString()}`)];
  });
}

/**
 * Routes of the same rank come in the order of the document: same path, same hosts, same conditions. Only there
 * can one take everything from another; elsewhere the narrower one comes first.
 */
function shadowed(routes: readonly RouteConfig[], trace: Trace): ConfigIssue[] {
  const ranks = new Map<string, RouteConfig[]>();
  const issues: ConfigIssue[] = [];
  for (const route of routes) {
    const key = rankKey(route);
    const earlier = ranks.get(key) ?? [];
    ranks.set(key, earlier);
    const shadow = earlier.find((other) => covers(other, route));
    if (shadow) issues.push(trace.issue(trace.spot(route, 'path'), shadowText(route, shadow, trace)));
    earlier.push(route);
  }
  return issues;
}

function shadowText(route: RouteConfig, shadow: RouteConfig, trace: Trace): string {
  const place = `${shadow.id} (line ${trace.line(shadow)})`;
  return `the route ${route.id} can never be reached: ${place} takes all of its requests; put it in front`;
}

function rankKey(route: RouteConfig): string {
  const shape = pathShape(parseRoutePath(route.path), route.exact);
  return JSON.stringify([shape, route.exact, conditionsKey(route)]);
}

function covers(earlier: RouteConfig, later: RouteConfig): boolean {
  const sameTier = earlier.hosts.length > 0 === later.hosts.length > 0;
  const hosts = later.hosts.every((host) => earlier.hosts.includes(host));
  return sameTier && hosts && coversMethods(earlier.methods, later.methods);
}

function coversMethods(earlier: readonly string[] | null, later: readonly string[] | null): boolean {
  if (earlier === null) return true;
  // GET implies HEAD.
  const has = (name: string): boolean =>
    earlier.includes(name) || (name === 'HEAD' && earlier.includes('GET'));
  return later !== null && later.every(has);
}

/** Cookies of sticky upstreams that bind less than they seem to. */
function stickiness(config: GatewayConfig, trace: Trace): ConfigIssue[] {
  return Object.values(config.upstreams).flatMap(({ sticky }) => {
    if (sticky === null) return [];
    const weak = weaknessOf(sticky);
    const issues = weak === null ? [] : [trace.issue(trace.spot(sticky, weak.key), weak.message)];
    if (needsSecure(sticky.cookie)) issues.push(trace.issue(trace.spot(sticky, 'cookie'), SECURE_ONLY));
    return issues;
  });
}

function weaknessOf({ secret }: StickyConfig): { key?: 'secret'; message: string } | null {
  // A secret made at start differs in each process.
  if (secret === null)
    return { message: 'has no secret: one is made at start and not shared between processes' };
  return Buffer.byteLength(secret) < 32
    ? { key: 'secret', message: 'is shorter than 32 bytes, the length of what it makes: take a longer one' }
    : null;
}

const SECURE_ONLY =
  'is a name that browsers take from https alone: the cookie is always Secure, so clients over plain http are never tied';

/** TLS towards backends that protects less than it seems to. */
function unprotected(config: GatewayConfig, trace: Trace): ConfigIssue[] {
  return Object.values(config.upstreams).flatMap(({ backends, connection: { tls } }) => {
    if (tls === null) return [];
    const issues = backends
      .filter(({ url }) => !isHttps(url))
      .map((backend) => trace.issue(trace.spot(backend, 'url'), 'is plain http: `tls` does nothing for it'));
    if (tls.insecure) issues.push(trace.issue(trace.spot(tls, 'insecure'), INSECURE));
    return issues;
  });
}

const INSECURE =
  'trusts any certificate: whoever is on the way can read and change everything; give ca_file instead';
