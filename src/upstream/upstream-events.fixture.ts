import type { DiscoveryEvents } from './discovery/discovery-events.js';
import type { UpstreamEvents } from './upstream-events.js';

export const silentEvents: UpstreamEvents & DiscoveryEvents = {
  circuitOpened: () => {},
  circuitHalfOpen: () => {},
  circuitClosed: () => {},
  discoveryFailed: () => {},
  discoveryRecovered: () => {},
  addressesChanged: () => {},
};
