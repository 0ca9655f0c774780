import type { Socket } from 'node:net';

import type { Backend, ConnectionPool } from '../exchange/upstream.js';

/** As much of a backend as a probe needs. */
export type ProbeTarget = Pick<Backend, 'origin'> & { readonly pool: Pick<ConnectionPool, 'dial'> };

/**
 * Asks a backend once whether it can serve. Resolves with null when it can, else with why not; by then its
 * socket is gone. The signal ends it early, the signal's reason being why; it never rejects.
 */
export type Probe = (backend: ProbeTarget, signal: AbortSignal) => Promise<string | null>;

export type Opened = { readonly socket: Socket } | { readonly failure: string };

/** A socket to the backend, opened as the traffic's are; `bare` leaves out TLS. */
export function openSocket({ pool }: ProbeTarget, signal: AbortSignal, bare = false): Promise<Opened> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ failure: failureText(null, signal) });
    const dialling = pool.dial((error, socket) => {
      signal.removeEventListener('abort', giveUp);
      resolve(error === null ? { socket } : { failure: failureText(error, signal) });
    }, bare);
    const giveUp = (): void => {
      dialling.destroy();
      resolve({ failure: failureText(null, signal) });
    };
    signal.addEventListener('abort', giveUp, { once: true });
  });
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
