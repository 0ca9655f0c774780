import type { BackendStatus, UpstreamStatus } from '../exchange/gateway-control.js';
import type { Backend, Upstream } from '../exchange/upstream.js';

/** The upstreams as `/_gateway/upstreams` and the admin API show them: plain data of this moment. */
export function upstreamStatus(upstreams: Iterable<Upstream>): UpstreamStatus[] {
  return Array.from(upstreams, ({ name, balancing, backends }) => ({
    name,
    balancing,
    backends: backends.map(backendStatus),
  }));
}

export function backendStatus({ id, url, weight, state, breaker }: Backend): BackendStatus {
  return {
    id,
    url,
    weight,
    healthy: state.healthy,
    state: state.draining ? 'draining' : 'active',
    in_flight: state.inFlight,
    circuit: breaker?.circuit ?? 'closed',
  };
}
