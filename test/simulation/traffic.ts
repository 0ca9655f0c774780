import { CircuitBreakerConfig, MaxInFlightConfig, UpstreamConfig } from '../../src/config/upstream.config.js';
import { RetryConfig } from '../../src/config/route.config.js';
import { compileRetry } from '../../src/proxy/attempts/retry-policy.js';
import { RetryCounts } from '../../src/proxy/attempts/retry-counts.js';
import { Deadlines } from '../../src/proxy/deadlines.js';
import type { ForwardPlan } from '../../src/proxy/forward-plan.js';
import { Forwarding } from '../../src/proxy/forwarding.js';
import type { ScannedHead } from '../../src/proxy/request-head.js';
import { UpstreamAdmission } from '../../src/upstream/admission.js';
import { CompiledBackend } from '../../src/upstream/backend.js';
import { balancers } from '../../src/upstream/balancing/index.js';
import { breakerFor } from '../../src/upstream/breaker/index.js';
import { CompiledUpstream } from '../../src/upstream/compiled-upstream.js';
import { silentEvents } from '../../src/upstream/upstream-events.fixture.js';
import { WaitingLine } from '../../src/upstream/waiting-line.js';
import { Random } from '../faults/random.js';
import { SimulatedClient, simulatedExchange } from './simulated-client.js';
import { type Mood, SimulatedPool } from './simulated-pool.js';
import { VirtualTime } from './virtual-time.js';

export type Algorithm = 'round_robin' | 'weighted_round_robin' | 'least_connections' | 'random' | 'ip_hash';

export interface Settings {
  readonly seed: number;
  readonly requests: number;
  /** Mean, a second. */
  readonly rate: number;
  readonly algorithm: Algorithm;
  readonly weights: readonly number[];
  /** What backends may do; each moment of change picks one. */
  readonly moods: readonly Mood[];
  /** The first backend has the first mood, and so on, all the time. */
  readonly steady: boolean;
  readonly retry: boolean;
  readonly breaker: boolean;
  /** 0 = no bound. */
  readonly maxInFlight: number;
  /** Share of the clients that leave early. */
  readonly leaving: number;
}

/** What a run showed; `faults` are the broken invariants, one sentence each. */
export interface Outcome {
  readonly faults: string[];
  readonly served: readonly number[];
  readonly reasons: ReadonlyMap<string, number>;
  /** Largest difference of in-flight by weight among backends, seen at any arrival. */
  readonly spread: number;
  readonly circuitsOpened: number;
  readonly retries: number;
}

const HALF_OPEN = 3;
const TIMEOUT_MS = 2_000;

/** One run of virtual traffic through the gateway's own forwarding, attempts, balancing, breakers and retries. */
export class Traffic {
  readonly time = new VirtualTime();
  readonly #random: Random;
  readonly #faults: string[] = [];
  readonly #reasons = new Map<string, number>();
  readonly #posts = new Set<string>();
  readonly #begun: number[] = [];
  readonly #retried: number[] = [];
  readonly #pools: SimulatedPool[];
  readonly #upstream: CompiledUpstream;
  readonly #plan: ForwardPlan;
  readonly #deadlines = new Deadlines(this.time);
  #active = 0;
  #spread = 0;
  #opened = 0;
  #allSent = false;

  constructor(readonly settings: Settings) {
    this.#random = new Random(settings.seed);
    this.#pools = settings.weights.map(
      (_, at) => new SimulatedPool(this.time, new Random(settings.seed, at + 1), HALF_OPEN),
    );
    this.#upstream = this.#compile();
    this.#plan = this.#compilePlan();
  }

  run(): Outcome {
    this.#arrive(0);
    for (const [at, pool] of this.#pools.entries()) {
      if (this.settings.steady) pool.mood = this.settings.moods[at]!;
      else this.#changeMood(pool);
    }
    this.#tick();
    this.time.run();
    this.#deadlines.stop();
    this.#checkEnd();
    this.#checkBudget();
    return {
      faults: this.#faults,
      served: this.#pools.map(({ served }) => served),
      reasons: this.#reasons,
      spread: this.#spread,
      circuitsOpened: this.#opened,
      retries: this.#retried.length,
    };
  }

  #arrive(count: number): void {
    const { requests, rate } = this.settings;
    if (count === requests) return void (this.#allSent = true);
    this.time.after((-Math.log(1 - this.#random.next()) * 1_000) / rate, () => {
      this.#request(count);
      this.#arrive(count + 1);
    });
  }

  #request(count: number): void {
    const random = this.#random;
    const method = random.weighted({ GET: 7, PUT: 1, POST: 2 });
    const exchange = simulatedExchange({
      tag: String(count),
      method,
      clientIp: `10.0.${random.between(0, 255)}.${random.between(0, 255)}`,
      now: this.time.now(),
      upstream: this.#upstream,
    });
    const client = new SimulatedClient((one) => this.#ended(String(count), one));
    this.#active++;
    this.#begun.push(this.time.now());
    const head = exchange.head as unknown as ScannedHead;
    new Forwarding(exchange, head, client, this.#plan, this.#host).begin();
    if (random.chance(this.settings.leaving)) this.time.after(random.between(0, 300), () => client.leave());
    this.#measureSpread();
  }

  #ended(tag: string, { ends, reason, status }: SimulatedClient): void {
    if (ends > 1) this.#faults.push(`exchange ${tag} ended ${ends} times`);
    this.#active--;
    const key = reason === 'whole' ? String(status) : reason;
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + 1);
  }

  #measureSpread(): void {
    const loads = this.#upstream.backends.map(({ state, weight }) => state.inFlight / weight);
    this.#spread = Math.max(this.#spread, Math.max(...loads) - Math.min(...loads));
  }

  #changeMood(pool: SimulatedPool): void {
    pool.mood = this.#random.pick(this.settings.moods);
    if (this.#allSent) pool.mood = 'fine';
    else this.time.after(this.#random.between(500, 8_000), () => this.#changeMood(pool));
  }

  /** What a timer does in the gateway; it ends when the last exchange did. */
  #tick(): void {
    this.#deadlines.sweep();
    if (this.#allSent && this.#active === 0) return;
    this.time.after(50, () => this.#tick());
  }

  #checkEnd(): void {
    if (this.#active > 0) this.#faults.push(`${this.#active} exchanges never ended`);
    const { backends, line } = this.#upstream;
    if (line.length > 0) this.#faults.push(`${line.length} exchanges wait in the line`);
    for (const { id, state } of backends) {
      if (state.inFlight !== 0)
        this.#faults.push(`${id} has ${state.inFlight} exchanges in flight at the end`);
    }
  }

  /** Naively, for each retry: those of the 10 s before it against the requests of those 10 s. */
  #checkBudget(): void {
    let firstRetry = 0;
    let firstRequest = 0;
    let lastRequest = 0;
    for (const [at, now] of this.#retried.entries()) {
      while (this.#retried[firstRetry]! <= now - 10_000) firstRetry++;
      while (this.#begun[firstRequest]! <= now - 10_000) firstRequest++;
      while (lastRequest < this.#begun.length && this.#begun[lastRequest]! <= now) lastRequest++;
      const retries = at - firstRetry + 1;
      const allowed = Math.max(30, 0.2 * (lastRequest - firstRequest));
      if (retries > allowed) return void this.#faults.push(`${retries} retries in 10 s, ${allowed} allowed`);
    }
  }

  readonly #host = {
    clock: this.time,
    deadlines: this.#deadlines,
    log: {
      upstreamRequestFailed: () => {},
      internalError: (_: unknown, cause: unknown) => this.#fault(cause),
    },
    retries: Object.assign(new RetryCounts(), { retried: () => void this.#retried.push(this.time.now()) }),
  };

  #fault(cause: unknown): void {
    this.#faults.push(String(cause));
  }

  #compile(): CompiledUpstream {
    const { algorithm, weights, maxInFlight } = this.settings;
    const config = Object.assign(new UpstreamConfig(), { balancing: algorithm });
    const line = new WaitingLine();
    const backends = weights.map((weight, at) => this.#backend(at, weight, line));
    const bound = Object.assign(new MaxInFlightConfig(), { limit: maxInFlight });
    return new CompiledUpstream({
      name: 'simulated',
      key: '',
      config,
      backends,
      line,
      balancer: balancers.named(algorithm).create({ type: algorithm }, () => this.#random.next()),
      admission: new UpstreamAdmission({ slowStartMs: 0, panicThreshold: 0 }, this.time),
      sticky: null,
      queueMs: maxInFlight === 0 ? 0 : 1_000,
      queue: maxInFlight === 0 ? 0 : bound.queue,
    });
  }

  #backend(at: number, weight: number, line: WaitingLine): CompiledBackend {
    const pool = this.#pools[at]!;
    const url = `http://backend-${at}`;
    const config = Object.assign(new CircuitBreakerConfig(), {
      cooldown: '2s',
      half_open_requests: HALF_OPEN,
    });
    const circuitOpened = (): void => {
      this.#opened++;
      pool.circuitOpened();
    };
    const events = { ...silentEvents, circuitOpened };
    const breaker = this.settings.breaker
      ? breakerFor(config, null, { upstream: 'simulated', url }, { clock: this.time, events })
      : null;
    pool.watcher = {
      sent: (tag, method) => this.#sent(tag, method),
      circuit: () => breaker?.circuit ?? 'closed',
      tooManyProbes: (count) => void this.#faults.push(`${url}: ${count} probes in flight`),
    };
    return new CompiledBackend({
      id: url,
      url,
      upstream: 'simulated',
      weight,
      origin: new URL(url),
      basePath: '',
      state: { healthy: true, inFlight: 0, draining: false, servingSince: 0 },
      pool,
      poolKey: url,
      breaker,
      maxInFlight: this.settings.maxInFlight,
      line,
    });
  }

  #sent(tag: string, method: string): void {
    if (method !== 'POST') return;
    if (this.#posts.has(tag)) this.#faults.push(`POST ${tag} was sent twice`);
    this.#posts.add(tag);
  }

  #compilePlan(): ForwardPlan {
    const tools = { clock: this.time, random: () => this.#random.next() };
    return {
      choice: { choose: () => this.#upstream },
      retry: compileRetry(this.settings.retry ? new RetryConfig() : null, tools),
      mirror: null,
      timeoutMs: TIMEOUT_MS,
      responseMs: TIMEOUT_MS,
      idleMs: TIMEOUT_MS,
      totalMs: 0,
      bodyTimeoutMs: TIMEOUT_MS,
      maxBodySize: 0,
    } as unknown as ForwardPlan;
  }
}
