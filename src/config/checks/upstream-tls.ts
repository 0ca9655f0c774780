import type { Draft } from '../draft.js';
import { readTlsFiles } from '../tls-files.js';
import type { UpstreamConfig, UpstreamTlsConfig } from '../upstream.config.js';

/** TLS towards backends: the files, and whether there is anybody to speak TLS with. */
export function checkUpstreamTls(draft: Draft): void {
  for (const upstream of new Set(Object.values(draft.upstreams))) {
    const { tls } = upstream.connection;
    if (tls === null) continue;
    checkUse(draft, upstream);
    checkPair(draft, tls);
    for (const { key, message } of readTlsFiles(tls).faults) draft.report.at(tls, key, message);
  }
}

function checkUse({ report }: Draft, { backends, connection }: UpstreamConfig): void {
  if (backends.length > 0 && !backends.some(({ url }) => isHttps(url)))
    report.at(connection, 'tls', 'is for nobody, expected an https url of a backend, or no `tls`');
}

/** A file that could not be read was reported, and taken out. */
function checkPair({ report }: Draft, tls: UpstreamTlsConfig): void {
  if ((tls.cert_file === null) === (tls.key_file === null) || report.damaged.has(tls)) return;
  const key = tls.cert_file === null ? 'key_file' : 'cert_file';
  report.at(tls, key, 'stands alone, expected cert_file and key_file together');
}

export function isHttps(url: string): boolean {
  return new URL(url).protocol === 'https:';
}
