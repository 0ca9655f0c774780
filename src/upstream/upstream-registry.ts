import { randomBytes } from 'node:crypto';

import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { CLOCK, type Clock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { CompiledUpstreams, UpstreamCompiler } from '../exchange/snapshot.js';
import type { ConnectionPool } from '../exchange/upstream.js';
import type { DiscoveryEvents } from './discovery/discovery-events.js';
import type { FollowedName } from './discovery/followed-name.js';
import { firstAnswers } from './discovery/follow-names.js';
import { OPEN_DISCOVERY, openDiscovery, type OpenDiscovery } from './discovery/index.js';
import { compileUpstream, type UpstreamTools } from './compile-upstream.js';
import type { CompiledUpstream } from './compiled-upstream.js';
import { compileChoice } from './choice.js';
import { UPSTREAM_EVENTS, type UpstreamEvents } from './upstream-events.js';

type Compiled = ReadonlyMap<string, CompiledUpstream>;

/** Compiles upstreams and keeps across reloads what lives longer than a snapshot: health, sockets, positions. */
@Injectable()
export class UpstreamRegistry implements UpstreamCompiler, OnApplicationShutdown {
  #current: Compiled = new Map();
  readonly #tools: UpstreamTools;
  readonly #watchers: (() => void)[] = [];

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(UPSTREAM_EVENTS) events: UpstreamEvents & DiscoveryEvents,
    @Inject(OPEN_DISCOVERY) discovery: OpenDiscovery = openDiscovery,
  ) {
    const moved = (upstream: string): void => this.#moved(upstream);
    this.#tools = { clock, events, discovery, moved, random: Math.random, secret: randomBytes(32) };
  }

  watch(listener: () => void): void {
    this.#watchers.push(listener);
  }

  /**
   * One document at a time: compile, then exactly one of commit and discard. Throws for what cannot be compiled (an
   * unknown algorithm, an unreadable file), having kept nothing.
   */
  compile(config: Readonly<GatewayConfig>): CompiledUpstreams {
    const base = this.#current;
    const upstreams = new Map<string, CompiledUpstream>();
    try {
      for (const [name, upstream] of Object.entries(config.upstreams)) {
        upstreams.set(name, compileUpstream(name, upstream, base.get(name), this.#tools));
      }
    } catch (error) {
      closePools(upstreams, base);
      throw error;
    }
    for (const name of namesOf(upstreams)) name.begin();
    return {
      upstreams,
      ready: () => firstAnswers(namesOf(upstreams), FIRST_ANSWER_MS),
      choiceFor: (route) => compileChoice(route, upstreams),
      commit: () => this.#commit(upstreams, base),
      discard: () => {
        if (this.#current !== upstreams) retire(upstreams, this.#current);
      },
    };
  }

  /** Ends all sockets, busy ones with their exchange. */
  onApplicationShutdown(): void {
    retire(this.#current, NOTHING);
    this.#current = NOTHING;
  }

  #commit(upstreams: Compiled, base: Compiled): void {
    if (this.#current === upstreams) return;
    if (this.#current !== base) throw new Error('upstreams were compiled beside others than those in force');
    this.#current = upstreams;
    // Names were followed while the routes were mounted, on the snapshot in force and for this one.
    for (const [name, upstream] of upstreams) upstream.refresh(base.get(name)?.backends ?? []);
    retire(base, upstreams);
    for (const [name, before] of base) {
      const now = upstreams.get(name);
      if (now !== undefined && now !== before) now.succeed(before);
    }
  }

  /** Discovery has found other servers. Those that are gone get no new exchanges, on older snapshots neither. */
  #moved(name: string): void {
    const upstream = this.#current.get(name);
    const before = upstream?.backends ?? [];
    if (upstream === undefined || !upstream.refresh()) return;
    const states = new Set(upstream.backends.map(({ state }) => state));
    for (const { state, pool } of before) {
      if (states.has(state)) continue;
      state.draining = true;
      pool.close();
    }
    upstream.line.advance();
    for (const watcher of this.#watchers) watcher();
  }
}

const NOTHING: Compiled = new Map();

/** Longest wait for the first addresses of new names: a gateway starts without them after that. */
const FIRST_ANSWER_MS = 2_000;

/** Ends what the one set has and the other does not use. */
function retire(of: Compiled, keptBy: Compiled): void {
  closePools(of, keptBy);
  const kept = new Set(namesOf(keptBy));
  for (const name of namesOf(of)) if (!kept.has(name)) name.stop();
}

/** Closes the pools of the one set which the other does not use. */
function closePools(of: Compiled, keptBy: Compiled): void {
  const kept = new Set(poolsOf(keptBy));
  for (const pool of poolsOf(of)) if (!kept.has(pool)) pool.close();
}

function* poolsOf(upstreams: Compiled): Iterable<ConnectionPool> {
  for (const upstream of upstreams.values()) for (const backend of upstream.backends) yield backend.pool;
}

function* namesOf(upstreams: Compiled): Iterable<FollowedName> {
  for (const upstream of upstreams.values()) yield* upstream.names.values();
}
