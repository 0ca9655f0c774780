import { isIP } from 'node:net';

import { sizeBytes } from '../../common/size.js';
import type { Draft } from '../draft.js';
import { parseRoutePath } from '../route-path.js';
import { shown } from '../secrets.js';
import type { TlsConfig } from '../server.config.js';
import { readListenerTlsFiles } from '../tls-files.js';

/** Both ports, TLS and the paths of the gateway's own endpoints. */
export function checkServer(draft: Draft): void {
  checkPort(draft);
  checkSizes(draft);
  checkAdmin(draft);
  checkMetrics(draft);
  for (const { tls } of [draft.document.server, draft.document.admin]) if (tls) checkTls(draft, tls);
}

function checkPort({ document, report, trace }: Draft): void {
  const { port, server } = document;
  if (port === undefined) return;
  if (trace.given(server, 'port') && server.port !== port) {
    report.at(document, 'port', 'differs from server.port, expected one of the two alone or both alike');
  }
  server.port = port;
}

/** Node counts the request line inside the head: a longer URI could never be answered 414. */
function checkSizes({ document: { server }, report }: Draft): void {
  if (sizeBytes(server.max_uri_length) < sizeBytes(server.max_header_size)) return;
  const limit = `expected less than max_header_size (${shown(server, 'max_header_size')})`;
  report.at(server, 'max_uri_length', `${shown(server, 'max_uri_length')} is too large, ${limit}`);
}

function checkAdmin({ document: { server, admin }, report }: Draft): void {
  if (!admin.enabled) return;
  if (admin.token === null && !isLoopback(admin.host)) {
    const message = `${shown(admin, 'host')} can be reached from outside, expected a token or a loopback host`;
    report.at(admin, 'host', message);
  }
  const sameHost = server.host === admin.host || isAny(server.host) || isAny(admin.host);
  if (sameHost && server.port === admin.port) {
    report.at(admin, 'port', `${shown(admin, 'port')} is the data port too, expected another one`);
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function isAny(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function checkMetrics({ document: { metrics }, report }: Draft): void {
  const descending = metrics.buckets.findIndex((bound, index, all) => index > 0 && bound <= all[index - 1]!);
  if (descending !== -1) {
    report.at(metrics.buckets, descending, 'is not above the one before it, expected ascending bounds');
  }
  const first = firstLiteral(metrics.path);
  if (first === undefined || first === 'health' || first === '_gateway') {
    const expected = 'expected a path without parameters, not / nor under /health or /_gateway';
    report.at(metrics, 'path', `${shown(metrics, 'path')} cannot be the path of metrics, ${expected}`);
  }
}

function firstLiteral(path: string): string | undefined {
  try {
    const { segments } = parseRoutePath(path);
    if (segments.some((segment) => 'param' in segment)) return undefined;
    const [first] = segments;
    return first && 'literal' in first ? first.literal : undefined;
  } catch {
    return undefined;
  }
}

function checkTls({ report }: Draft, tls: TlsConfig): void {
  if (tls.client_auth !== 'none' && tls.client_ca_file === null) {
    report.at(tls, 'client_auth', 'asks for certificates that nobody could verify, expected client_ca_file');
  }
  for (const { key, message } of readListenerTlsFiles(tls).faults) report.at(tls, key, message);
}
