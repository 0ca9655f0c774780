import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';

import { durationMs } from '../../common/duration.js';
import { readTlsFiles, type TlsFiles } from '../../config/tls-files.js';
import type { BackendConfig, ConnectionConfig, UpstreamTlsConfig } from '../../config/upstream.config.js';
import { BackendConnectionPool } from './connection-pool.js';
import { Dialer } from './dialer.js';
import { type DialAddress, type DialTarget, dialTarget } from './dial-target.js';
import { proxyAt } from './proxy.js';
import type { TlsSettings } from './tls-client.js';

/** `connection` of one upstream, with the files it names read. */
export interface Connection {
  /** Equal for equal settings and equal contents of files; tells neither. */
  readonly key: string;
  /** The same for one backend: its pool may serve on while this stays the same. */
  poolKey(origin: URL, proxy: string | undefined): string;
  /** @param at where discovery found the backend; null = where the url says */
  openPool(origin: URL, proxy: string | undefined, at?: DialAddress | null): BackendConnectionPool;
}

/** Throws when a file cannot be read any more, or does not hold what it held when the document was checked. */
export function compileConnection(upstream: string, config: Readonly<ConnectionConfig>): Connection {
  const files = config.tls === null ? NO_FILES : filesOf(upstream, config.tls);
  const key = digest(JSON.stringify([config, files]));
  let tls: TlsSettings | null = null;
  return {
    key,
    poolKey: (origin, proxy) => digest(`${key} ${origin.origin} ${proxy ?? ''}`),
    openPool(origin, proxy, at = null) {
      tls ??= tlsSettings(config.tls, files);
      const target = dialTarget(origin, { serverName: config.tls?.server_name ?? null, at });
      return new BackendConnectionPool(origin, config, dialerFor(target, proxy, config, tls));
    },
  };
}

const NO_FILES: TlsFiles = { ca: null, cert: null, key: null };

function filesOf(upstream: string, tls: Readonly<UpstreamTlsConfig>): TlsFiles {
  const { files, faults } = readTlsFiles(tls);
  const [fault] = faults;
  if (fault) throw new Error(`upstreams.${upstream}.connection.tls.${fault.key}: ${fault.message}`);
  return files;
}

function tlsSettings(config: Readonly<UpstreamTlsConfig> | null, { ca, cert, key }: TlsFiles): TlsSettings {
  const own = ca !== null || cert !== null;
  const options = { ...(ca !== null && { ca }), ...(cert !== null && key !== null && { cert, key }) };
  return { context: own ? createSecureContext(options) : null, insecure: config?.insecure ?? false };
}

function dialerFor(
  target: DialTarget,
  proxy: BackendConfig['proxy'],
  config: Readonly<ConnectionConfig>,
  tls: TlsSettings,
): Dialer {
  const route = {
    target,
    proxy: proxy === undefined ? null : proxyAt(proxy),
    timeoutMs: durationMs(config.connect_timeout),
    noDelay: config.tcp_no_delay,
  };
  return new Dialer(route, tls);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
