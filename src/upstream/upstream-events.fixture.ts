import type { UpstreamEvents } from './upstream-events.js';

export const silentEvents: UpstreamEvents = {
  circuitOpened: () => {},
  circuitHalfOpen: () => {},
  circuitClosed: () => {},
};
