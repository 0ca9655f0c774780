import type { AddressRecord, DnsRecords, ServiceRecord } from './dns-records.js';

type Answer<T> = readonly T[] | string;

/** What a fake DNS knows; a text is the code of the error that it answers with. Names left out are ENOTFOUND. */
export interface FakeZone {
  a?: Record<string, Answer<AddressRecord>>;
  aaaa?: Record<string, Answer<AddressRecord>>;
  srv?: Record<string, Answer<ServiceRecord>>;
  /** Absent: the system is not to be asked. */
  system?: Record<string, string[]>;
}

export function fakeDns(zone: FakeZone): DnsRecords {
  return {
    a: (name) => answer(zone.a?.[name]),
    aaaa: (name) => answer(zone.aaaa?.[name]),
    srv: (name) => answer(zone.srv?.[name]),
    system: zone.system === undefined ? null : (name) => answer(zone.system?.[name]),
    cancel: () => {},
  };
}

/** Address records of one TTL, in seconds. */
export function records(ttl: number, ...addresses: string[]): AddressRecord[] {
  return addresses.map((address) => ({ address, ttl }));
}

function answer<T>(known: Answer<T> = 'ENOTFOUND'): Promise<T[]> {
  if (typeof known !== 'string') return Promise.resolve([...known]);
  return Promise.reject(Object.assign(new Error(`query ${known}`), { code: known }));
}
