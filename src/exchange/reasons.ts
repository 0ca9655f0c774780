/**
 * Every answer that the gateway itself gives: the one table behind bodies, logs and metrics
 * (docs/errors.md shows the same table; a test holds the two equal).
 */
export const REASONS = {
  validation_failed: { status: 400, error: 'validation failed' },
  bad_request: { status: 400, error: 'bad request' },
  missing_token: { status: 401, error: 'missing or invalid token' },
  invalid_token: { status: 401, error: 'invalid token' },
  invalid_api_key: { status: 401, error: 'invalid api key' },
  forbidden: { status: 403, error: 'forbidden' },
  insufficient_privileges: { status: 403, error: 'insufficient privileges' },
  route_not_found: { status: 404, error: 'not found' },
  method_not_allowed: { status: 405, error: 'method not allowed' },
  request_timeout: { status: 408, error: 'request timeout' },
  expectation_failed: { status: 417, error: 'expectation failed' },
  payload_too_large: { status: 413, error: 'payload too large' },
  unsupported_media_type: { status: 415, error: 'unsupported media type' },
  uri_too_long: { status: 414, error: 'uri too long' },
  rate_limited: { status: 429, error: 'rate limit exceeded' },
  header_too_large: { status: 431, error: 'request header fields too large' },
  not_implemented: { status: 501, error: 'not implemented' },
  internal_error: { status: 500, error: 'internal error' },
  upstream_unavailable: { status: 502, error: 'upstream unavailable' },
  no_healthy_backend: { status: 503, error: 'no healthy backend' },
  circuit_open: { status: 503, error: 'circuit open' },
  overloaded: { status: 503, error: 'overloaded' },
  rate_limit_store_unavailable: { status: 503, error: 'rate limit store unavailable' },
  upstream_timeout: { status: 504, error: 'upstream timeout' },
} as const satisfies Record<string, { status: number; error: string }>;

/** A reason with an answer of its own. */
export type AnswerReason = keyof typeof REASONS;

/** Why an exchange ended as it did; the last three have no answer, only a log line and a count. */
export type Reason = AnswerReason | 'client_closed' | 'upstream_aborted' | 'gateway_stopped';
