import { durationMs } from '../../common/duration.js';
import type { DiscoveryConfig } from '../../config/upstream.config.js';
import { after, type Discovery } from './discovery.js';
import { DnsDiscovery } from './dns-discovery.js';
import { dnsRecords } from './dns-records.js';

/** Makes a source of addresses as an upstream's `discovery` describes it. */
export type OpenDiscovery = (config: Readonly<DiscoveryConfig>) => Discovery;

/** Nest token of the {@link OpenDiscovery}. */
export const OPEN_DISCOVERY = Symbol('OpenDiscovery');

/** Every source of the gateway by its `type`: one file and one line here add another, once config/ knows the type. */
const SOURCES: Readonly<Record<DiscoveryConfig['type'], OpenDiscovery>> = {
  dns: ({ interval, servers }) => new DnsDiscovery(durationMs(interval), { dns: dnsRecords(servers), after }),
};

export const openDiscovery: OpenDiscovery = (config) => SOURCES[config.type](config);
