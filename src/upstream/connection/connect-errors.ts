import { opensslText } from '../../common/openssl-text.js';

/** The connection did not stand within `connect_timeout`. Nothing was sent. */
export class ConnectTimeoutError extends Error {
  readonly code = 'CONNECT_TIMEOUT';

  /** @param step what took too long, where the connection takes more than one step */
  constructor(step: string | null) {
    super(step === null ? 'connect timeout' : `connect timeout: ${step}`);
  }
}

/** The backend did not prove who it is, refused the gateway's certificate, or speaks no TLS. Nothing was sent. */
export class TlsError extends Error {
  readonly code = 'TLS_FAILED';

  constructor(cause: Error) {
    super(`TLS failed: ${textOf(cause)}`, { cause });
  }
}

/** The proxy cannot be reached, or made no tunnel. Nothing was sent to the backend. */
export class ProxyError extends Error {
  readonly code: string;

  /** @param proxy host and port: the url may hold credentials */
  constructor(proxy: string, cause: Error) {
    super(`proxy ${proxy}: ${textOf(cause)}`, { cause });
    this.code = 'code' in cause && cause.code === 'ETIMEDOUT' ? 'ETIMEDOUT' : 'PROXY_FAILED';
  }
}

/** A name with several addresses fails with one error for each. */
function textOf(error: Error): string {
  if (error instanceof AggregateError)
    return (error.errors as Error[]).map(({ message }) => message).join('; ');
  return opensslText(error) ?? error.message.trim();
}
