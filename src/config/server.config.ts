import type { Duration } from '../common/duration.js';
import type { Size } from '../common/size.js';

export class TlsConfig {
  cert_file!: string;
  key_file!: string;
  min_version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2';
  client_ca_file: string | null = null;
  client_auth: 'none' | 'request' | 'require' = 'none';
}

export class ShutdownConfig {
  delay: Duration = '0s';
  grace_period: Duration = '10s';
}

export class ServerConfig {
  host = '0.0.0.0';
  port = 8080;
  trusted_proxies: string[] = [];
  tls: TlsConfig | null = null;
  header_timeout: Duration = '10s';
  body_timeout: Duration = '30s';
  keep_alive_timeout: Duration = '120s';
  max_header_size: Size = '16kb';
  max_uri_length: Size = '8kb';
  max_body_size: Size | 0 = '10mb';
  shutdown: ShutdownConfig = new ShutdownConfig();
}

export class AdminConfig {
  enabled = true;
  host = '127.0.0.1';
  port = 9090;
  token: string | null = null;
  tls: TlsConfig | null = null;
  allow_from: string[] = ['127.0.0.0/8', '::1/128'];
}
