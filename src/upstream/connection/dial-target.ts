/** Where the sockets to one backend lead. */
export interface DialTarget {
  /** An address or a name, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** What TLS asks the backend for (SNI), and what its certificate must be for: a name or an address. */
  readonly serverName: string;
}

export interface DialOverrides {
  /** `tls.server_name`. */
  readonly serverName: string | null;
  /** Connect there instead of to the url's host, which stays the name that TLS asks for. */
  readonly at?: DialAddress | null;
}

/** Where a name leads. */
export interface DialAddress {
  /** IPv4 or IPv6, without brackets. */
  readonly address: string;
  readonly port: number;
}

/** The one place that says which host is dialled, and which name it must prove. The client's Host has no say in it. */
export function dialTarget(origin: URL, { serverName, at }: DialOverrides): DialTarget {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const secure = origin.protocol === 'https:';
  const port = origin.port === '' ? (secure ? 443 : 80) : Number(origin.port);
  return { host: at?.address ?? host, port: at?.port ?? port, secure, serverName: serverName ?? host };
}

/** Host and port as CONNECT names them (RFC 9110 §9.3.6). */
export function authorityOf({ host, port }: Pick<DialTarget, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
