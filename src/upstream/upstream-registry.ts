import { randomBytes } from 'node:crypto';

import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

import { CLOCK, type Clock } from '../common/clock.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { CompiledUpstreams, UpstreamCompiler } from '../exchange/snapshot.js';
import type { ConnectionPool } from '../exchange/upstream.js';
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

  constructor(@Inject(CLOCK) clock: Clock, @Inject(UPSTREAM_EVENTS) events: UpstreamEvents) {
    this.#tools = { clock, events, random: Math.random, secret: randomBytes(32) };
  }

  /**
   * One document at a time: compile, then exactly one of commit and discard. Throws for what cannot be compiled (an unknown algorithm, an unreadable file), having kept nothing.
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
    return {
      upstreams,
      choiceFor: (route) => compileChoice(route, upstreams),
      commit: () => this.#commit(upstreams, base),
      discard: () => {
        if (this.#current !== upstreams) closePools(upstreams, this.#current);
      },
    };
  }

  /** Ends all sockets, busy ones with their exchange. */
  onApplicationShutdown(): void {
    closePools(this.#current, NOTHING);
    this.#current = NOTHING;
  }

  #commit(upstreams: Compiled, base: Compiled): void {
    if (this.#current === upstreams) return;
    if (this.#current !== base) throw new Error('upstreams were compiled beside others than those in force');
    this.#current = upstreams;
    closePools(base, upstreams);
    for (const [name, before] of base) {
      const now = upstreams.get(name);
      if (now !== undefined && now !== before) now.succeed(before);
    }
  }
}

const NOTHING: Compiled = new Map();

/** Closes the pools of the one set which the other does not use. */
function closePools(of: Compiled, keptBy: Compiled): void {
  const kept = new Set(poolsOf(keptBy));
  for (const pool of poolsOf(of)) if (!kept.has(pool)) pool.close();
}

function* poolsOf(upstreams: Compiled): Iterable<ConnectionPool> {
  for (const upstream of upstreams.values()) for (const backend of upstream.backends) yield backend.pool;
}
