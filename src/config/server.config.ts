import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';
import { listOf, nested, orNull } from './keys/composites.js';
import { listenHost, network, readableFile } from './keys/formats.js';
import { Key } from './keys/key.js';
import { duration, flag, integer, oneOf, text } from './keys/scalars.js';
import { size } from './keys/sizes.js';

const port = integer({ min: 1, max: 65_535 });

export class TlsConfig {
  @Key(readableFile(), 'PEM file of the certificate and its chain.', { required: true })
  cert_file!: string;

  @Key(readableFile(), 'PEM file of the private key.', { required: true })
  key_file!: string;

  @Key(oneOf('TLSv1.2', 'TLSv1.3'), 'Oldest version of TLS that is spoken.')
  min_version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2';

  @Key(orNull(readableFile()), "PEM file of the authorities that sign clients' certificates.")
  client_ca_file: string | null = null;

  @Key(oneOf('none', 'request', 'require'), 'Whether clients are asked for a certificate, or must have one.')
  client_auth: 'none' | 'request' | 'require' = 'none';
}

export class ShutdownConfig {
  @Key(duration({ zero: true }), 'How long requests are still accepted after readiness went off.')
  delay: Duration = '0s';

  @Key(duration(), 'How long exchanges in flight may take to finish before they are cut.')
  grace_period: Duration = '10s';
}

export class ServerConfig {
  @Key(listenHost(), 'Address of the data port.')
  host = '0.0.0.0';

  @Key(port, 'The data port.')
  port = 8080;

  @Key(listOf(network()), 'Peers whose X-Forwarded-* and Forwarded headers are believed.')
  trusted_proxies: string[] = [];

  @Key(orNull(nested(TlsConfig)), 'TLS on the data port; null = plain HTTP.')
  tls: TlsConfig | null = null;

  @Key(duration(), 'Longest time for the whole request head (408).')
  header_timeout: Duration = '10s';

  @Key(duration(), 'Longest silence of a client while it sends a body (408).')
  body_timeout: Duration = '30s';

  @Key(duration(), 'How long an idle connection of a client is kept.')
  keep_alive_timeout: Duration = '120s';

  @Key(size(), 'Largest request head (431).')
  max_header_size: Size = '16kb';

  @Key(size(), 'Longest request target (414); below max_header_size.')
  max_uri_length: Size = '8kb';

  @Key(size({ zero: true }), 'Largest request body (413); 0 = no limit. A route may set its own.')
  max_body_size: Size | 0 = '10mb';

  @Key(nested(ShutdownConfig), 'How the gateway stops.')
  shutdown: ShutdownConfig = new ShutdownConfig();
}

export class AdminConfig {
  @Key(flag(), 'Whether there is an admin port at all.')
  enabled = true;

  @Key(listenHost(), 'Address of the admin port; one that is not loopback needs a token.')
  host = '127.0.0.1';

  @Key(port, 'The admin port.')
  port = 9090;

  @Key(orNull(text()), 'Bearer token of the admin API; null = none.', { secret: true })
  token: string | null = null;

  @Key(orNull(nested(TlsConfig)), 'TLS on the admin port; null = plain HTTP.')
  tls: TlsConfig | null = null;

  @Key(listOf(network()), 'Peers that may read /metrics and /_gateway/* on the data port.')
  allow_from: string[] = ['127.0.0.0/8', '::1/128'];
}
