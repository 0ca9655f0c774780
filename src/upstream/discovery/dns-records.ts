import { lookup, Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';

/** One address of a name. */
export interface AddressRecord {
  readonly address: string;
  /** Seconds. */
  readonly ttl: number;
}

/** One server of a service (RFC 2782). */
export interface ServiceRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** Answers one look-up's questions. They reject with node's errors: a `code` such as ENOTFOUND or ESERVFAIL. */
export interface DnsRecords {
  a(name: string): Promise<AddressRecord[]>;
  aaaa(name: string): Promise<AddressRecord[]>;
  srv(name: string): Promise<ServiceRecord[]>;
  /** What the system knows of the name, its hosts file and search domains included; null where it is not to be asked. */
  readonly system: ((name: string) => Promise<string[]>) | null;
  /** Ends questions that are still open: they reject. */
  cancel(): void;
}

export type OpenDns = () => DnsRecords;

/** For each server and try; the second try waits twice as long. */
const PATIENCE = { timeout: 1_000, tries: 2 };

/**
 * @param servers addresses, perhaps with ports, that are asked instead of the system's; empty for the system's own,
 * which are read anew for each look-up
 */
export function dnsRecords(servers: readonly string[]): OpenDns {
  return () => {
    const resolver = new Resolver(PATIENCE);
    if (servers.length > 0) resolver.setServers(servers);
    return {
      a: (name) => resolver.resolve4(name, { ttl: true }),
      aaaa: async (name) => (await resolver.resolve6(name, { ttl: true })).filter(isReachable),
      srv: (name) => resolver.resolveSrv(name),
      system: servers.length > 0 ? null : systemAddresses,
      cancel: () => resolver.cancel(),
    };
  };
}

/** getaddrinfo leaves out IPv6 by itself where there is none. */
export async function systemAddresses(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

/** Without an IPv6 address of its own, this machine reaches none but itself (RFC 6724 §2.1 would never try). */
function isReachable({ address }: AddressRecord): boolean {
  return address === '::1' || hasIpv6();
}

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) => family === 'IPv6' && !internal && !isLinkLocal(address),
    ),
  );
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address);
}
