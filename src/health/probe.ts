/**
 * Asks a backend once whether it can serve. Resolves with null when it can, else with why not; by then its
 * socket is gone. The signal ends it early, the signal's reason being why; it never rejects.
 */
export type Probe = (origin: URL, signal: AbortSignal) => Promise<string | null>;

/** The host as sockets want it: an IPv6 literal without its brackets. */
export function socketHost(origin: URL): string {
  return origin.hostname.replace(/^\[|\]$/g, '');
}

/** The port, written or not. */
export function socketPort(origin: URL): number {
  if (origin.port !== '') return Number(origin.port);
  return origin.protocol === 'https:' ? 443 : 80;
}

/** One line on why a probe failed. A name with several addresses fails with one error for each. */
export function failureText(error: unknown, signal: AbortSignal): string {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  return messageOf(cause);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
