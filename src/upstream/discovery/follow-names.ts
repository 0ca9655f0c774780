import { isIP } from 'node:net';

import type { BackendConfig, UpstreamConfig } from '../../config/upstream.config.js';
import { type DialAddress, dialTarget } from '../connection/dial-target.js';
import { after, type Sought } from './discovery.js';
import { addressText, FollowedName, type NameOwner } from './followed-name.js';
import type { OpenDiscovery } from './index.js';

/** The names of one upstream's backends, each with its port. */
export type FollowedNames = ReadonlyMap<string, FollowedName>;

export interface DiscoveryTools extends Omit<NameOwner, 'upstream'> {
  readonly discovery: OpenDiscovery;
}

/** Those that `before` follows in the same way go on; new ones are to be begun. Empty without `discovery`. */
export function followNames(
  upstream: string,
  config: Readonly<UpstreamConfig>,
  before: FollowedNames | undefined,
  { discovery: open, events, moved }: DiscoveryTools,
): FollowedNames {
  const names = new Map<string, FollowedName>();
  if (config.discovery === null) return names;
  const discovery = open(config.discovery);
  const settings = JSON.stringify(config.discovery);
  for (const { url } of config.backends) {
    const sought = soughtFor(url);
    if (sought === null || names.has(keyOf(sought))) continue;
    const known = before?.get(keyOf(sought));
    const name =
      known?.settings === settings
        ? known
        : new FollowedName(sought, settings, discovery, { upstream, events, moved });
    names.set(keyOf(sought), name);
  }
  return names;
}

/** One backend of those that a configured one stands for. */
export interface Place {
  readonly id: string;
  /** For logs. */
  readonly url: string;
  readonly weight: number;
  /** Null: where the url says. */
  readonly at: DialAddress | null;
}

/** The servers behind a configured backend share its weight; itself where its name is not followed. */
export function placesOf(
  { url, weight }: Readonly<BackendConfig>,
  id: string,
  names: FollowedNames,
): readonly Place[] {
  const sought = names.size === 0 ? null : soughtFor(url);
  const followed = sought === null ? undefined : names.get(keyOf(sought));
  if (followed === undefined) return [{ id, url, weight, at: null }];
  const total = followed.servers.reduce((sum, server) => sum + server.weight, 0);
  return followed.servers.map((server) => ({
    id: `${id}@${addressText(server)}`,
    url: `${url}@${addressText(server)}`,
    weight: (weight * server.weight) / total,
    at: server,
  }));
}

/** Resolves when each name has been looked up once, found or not, or when the time is over. */
export async function firstAnswers(names: Iterable<FollowedName>, patienceMs: number): Promise<void> {
  const answers = Array.from(names, ({ answered }) => answered);
  if (answers.length === 0) return;
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const takeBack = after(patienceMs, resolve);
  await Promise.race([Promise.all(answers), late]);
  takeBack();
}

/** Null for addresses: they lead where they say. */
function soughtFor(url: string): Sought | null {
  const { host, port } = dialTarget(new URL(url), { serverName: null });
  return isIP(host) === 0 ? { name: host, port } : null;
}

function keyOf({ name, port }: Sought): string {
  return `${name}:${port}`;
}
