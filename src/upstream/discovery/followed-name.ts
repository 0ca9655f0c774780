import { authorityOf, type DialAddress } from '../connection/dial-target.js';
import type { DiscoveryEvents } from './discovery-events.js';
import type { Discovery, DiscoveryListener, Following, Found, Sought } from './discovery.js';

/** Whose name it is, and who hears of it. */
export interface NameOwner {
  readonly upstream: string;
  readonly events: DiscoveryEvents;
  /** The servers of a name of this upstream are others than before. */
  moved(upstream: string): void;
}

/** The servers behind one name of an upstream: the last good answer. It lives across reloads. */
export class FollowedName implements DiscoveryListener {
  /** In an order that depends on them alone: DNS servers like to turn theirs. */
  servers: readonly Found[] = [];
  /** Settles, never rejecting, when the first look-up has come to an end. */
  readonly answered: Promise<void>;
  #settle!: () => void;
  #failing = false;
  #following: Following | null = null;

  constructor(
    readonly sought: Sought,
    /** Equal for equal settings of discovery. */
    readonly settings: string,
    private readonly discovery: Discovery,
    private readonly owner: NameOwner,
  ) {
    this.answered = new Promise((resolve) => (this.#settle = resolve));
  }

  /** Follows the name from now on. Does nothing when it does already. */
  begin(): void {
    this.#following ??= this.discovery.follow(this.sought, this);
  }

  found(servers: readonly Found[], fault: Error | null): void {
    this.#tell(fault);
    this.#take(merged(servers));
    this.#settle();
  }

  failed(cause: Error): void {
    this.#tell(cause);
    this.#settle();
  }

  stop(): void {
    this.#following?.stop();
    this.#settle();
  }

  /** Once a change. */
  #tell(fault: Error | null): void {
    const { upstream, events } = this.owner;
    if (fault !== null && !this.#failing) events.discoveryFailed(upstream, this.sought.name, fault);
    if (fault === null && this.#failing) events.discoveryRecovered(upstream, this.sought.name);
    this.#failing = fault !== null;
  }

  #take(servers: readonly Found[]): void {
    const before = this.servers;
    if (JSON.stringify(servers) === JSON.stringify(before)) return;
    this.servers = servers;
    const { upstream, events } = this.owner;
    events.addressesChanged(upstream, this.sought.name, servers.map(addressText));
    this.owner.moved(upstream);
  }
}

/** `address:port`, IPv6 in brackets. */
export function addressText({ address, port }: DialAddress): string {
  return authorityOf({ host: address, port });
}

/** Each server once: two SRV targets may lead to one. */
function merged(servers: readonly Found[]): Found[] {
  const known = new Map<string, Found>();
  for (const server of servers) {
    const key = addressText(server);
    known.set(key, { ...server, weight: server.weight + (known.get(key)?.weight ?? 0) });
  }
  return [...known.keys()].toSorted().map((key) => known.get(key)!);
}
