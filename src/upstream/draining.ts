import type { Clock } from '../common/clock.js';
import type { BackendChange, BackendChanged } from '../exchange/gateway-control.js';
import type { Backend, Upstream } from '../exchange/upstream.js';
import { backendStatus } from './status.js';

/** Takes a backend of these upstreams out of service for new exchanges, or puts it back. */
export function setBackendState(
  upstreams: Iterable<Upstream>,
  { upstream: name, backend: id, state }: BackendChange,
  clock: Clock,
): BackendChanged {
  const all = [...upstreams];
  const upstream = all.find((one) => one.name === name);
  if (upstream === undefined) return { unknown: 'upstream', known: all.map((one) => one.name) };
  const backend = upstream.backends.find((one) => one.id === id);
  if (backend === undefined) return { unknown: 'backend', known: upstream.backends.map((one) => one.id) };
  if (state === 'draining') backend.state.draining = true;
  else putBack(backend, clock);
  return { backend: backendStatus(backend) };
}

/** It may have been restarted meanwhile, so `slow_start` begins. */
function putBack(backend: Backend, clock: Clock): void {
  const { state } = backend;
  if (!state.draining) return;
  state.draining = false;
  state.servingSince = clock.now();
  backend.returned();
}
