/** What happens to names; logged once each (docs/logs.md). */
export interface DiscoveryEvents {
  discoveryFailed(upstream: string, name: string, cause: Error): void;
  discoveryRecovered(upstream: string, name: string): void;
  /** @param addresses all there are now, as host and port */
  addressesChanged(upstream: string, name: string, addresses: readonly string[]): void;
}
