import type { Found, Sought } from './discovery.js';
import { type AddressRecord, type DnsRecords, type ServiceRecord, systemAddresses } from './dns-records.js';

/** What a name's questions were answered last; lives from one look-up to the next. */
export type DnsMemory = Map<string, readonly AddressRecord[]>;

export interface LookedUp {
  /** At least one. */
  readonly servers: readonly Found[];
  /** Milliseconds for which the answer holds; Infinity where nobody says. */
  readonly ttlMs: number;
  /** Why a question had to be answered from memory; null when none had. */
  readonly fault: Error | null;
}

/** `_service._proto.` in front of a name asks for its SRV records. */
const SERVICE = /^_[^.]+\._[^.]+\./;

/** RFC 6761 §6.3: nobody but this machine answers for these. */
const LOCAL = /(^|\.)localhost\.?$/i;

/** What the answer is when there is nothing of the kind, or nobody to ask. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);
const NOBODY = 'ECONNREFUSED';

/** Asks once. Rejects when nothing was found. */
export function lookUp(sought: Sought, dns: DnsRecords, memory: DnsMemory): Promise<LookedUp> {
  return new DnsLookup(dns, memory).run(sought);
}

class DnsLookup {
  #ttl = Infinity;
  /** The first question that failed, and the first that memory answered instead. */
  #failure: Error | null = null;
  #fault: Error | null = null;

  constructor(
    private readonly dns: DnsRecords,
    private readonly memory: DnsMemory,
  ) {}

  async run({ name, port }: Sought): Promise<LookedUp> {
    const servers = SERVICE.test(name)
      ? await this.#services(name)
      : (await this.#addresses(name)).map((address) => ({ address, port, weight: 1 }));
    if (servers.length === 0) throw this.#failure ?? new Error(`no addresses for ${name}`);
    return { servers, ttlMs: this.#ttl * 1_000, fault: this.#fault };
  }

  /** Node tells no TTL of SRV records: those of the targets' addresses stand for them. */
  async #services(name: string): Promise<Found[]> {
    const group = firstGroup(await this.dns.srv(name));
    const found = await Promise.all(group.map((record) => this.#server(record)));
    return found.flat();
  }

  /** A target with several addresses has its weight once, not once for each. */
  async #server({ name, port, weight }: ServiceRecord): Promise<Found[]> {
    const addresses = await this.#addresses(name);
    return addresses.map((address) => ({ address, port, weight: weight / addresses.length }));
  }

  async #addresses(name: string): Promise<string[]> {
    if (LOCAL.test(name)) return systemAddresses(name);
    const [four, six] = await Promise.all([this.#ask('a', name), this.#ask('aaaa', name)]);
    const records = [...four, ...six];
    if (records.length === 0) return this.#ofSystem(name);
    for (const { ttl } of records) this.#ttl = Math.min(this.#ttl, ttl);
    return records.map(({ address }) => address);
  }

  /** A server that fails, or is silent, says nothing of the name: what it answered last still holds. */
  async #ask(question: 'a' | 'aaaa', name: string): Promise<readonly AddressRecord[]> {
    const key = `${question} ${name}`;
    try {
      const records = await this.dns[question](name);
      this.memory.set(key, records);
      return records;
    } catch (error) {
      this.#failure ??= error as Error;
      if (NOT_THERE.has(codeOf(error))) {
        this.memory.delete(key);
        return [];
      }
      const known = this.memory.get(key) ?? [];
      if (known.length > 0) this.#fault ??= error as Error;
      return known;
    }
  }

  /** The system is asked for names that DNS does not know: a hosts file or a search domain may. */
  async #ofSystem(name: string): Promise<string[]> {
    const { system } = this.dns;
    const code = this.#failure === null ? '' : codeOf(this.#failure);
    if (system === null || !(NOT_THERE.has(code) || code === NOBODY)) return [];
    return system(name).catch(() => []);
  }
}

/**
 * The servers of the lowest priority. RFC 2782 gives those of weight 0 a very small chance beside others, and equal
 * chances where there are no others.
 */
function firstGroup(records: readonly ServiceRecord[]): ServiceRecord[] {
  const priority = Math.min(...records.map((record) => record.priority));
  const group = records.filter((record) => record.priority === priority && record.name !== '');
  const none = group.every(({ weight }) => weight === 0);
  return group.map((record) => ({ ...record, weight: none ? 1 : record.weight || SMALL_WEIGHT }));
}

const SMALL_WEIGHT = 0.1;

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? '';
}
