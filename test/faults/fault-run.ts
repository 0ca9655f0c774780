import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { listen } from '../support/ports.js';
import { waitFor } from '../support/wait.js';
import { FaultyBackend, type Witness } from './backend.js';
import { reloadAgainAndAgain, troubleBackends } from './chaos.js';
import { documentOf, type Places } from './document.js';
import { GatewayProcess } from './gateway-process.js';
import { Judge } from './judge.js';
import { LogLedger } from './log-ledger.js';
import { sessionPlan } from './plan.js';
import { playSession } from './sessions.js';
import type { Vitals } from './vitals.js';
import { WebSocketBackend } from './websocket-backend.js';

export interface FaultRunOptions {
  readonly seed: number;
  readonly seconds: number;
  /** Clients at a time. Default 64. */
  readonly clients?: number;
  /** Play this session alone, again and again. */
  readonly session?: number;
}

export interface FaultReport {
  readonly seed: number;
  readonly sessions: number;
  readonly exchanges: number;
  readonly reloads: number;
  /** How often clients that waited saw what. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** MB. */
  readonly rss: { readonly peak: number; readonly end: number };
  /** MB in use after a collection, before the load and after it. */
  readonly heap: { readonly before: number; readonly after: number };
  readonly violations: readonly string[];
  /** The gateway's log, kept only when something is wrong. */
  readonly logFile: string | null;
}

const MAX_VIOLATIONS = 40;
const MAX_RSS_MB = 450;
/** What compiled code and lazily loaded modules may add to the heap, in MB. */
const MAX_HEAP_GROWTH_MB = 8;
/** A stop of the event loop from which deadlines may fire that should not, in milliseconds. */
const STANDSTILL_MS = 300;

/** Plays faults of all kinds at once against the built gateway, and says what was wrong. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  const run = new FaultRun(options);
  try {
    await run.start();
    await run.trouble();
    await run.rest();
  } finally {
    await run.end();
  }
  return run.report;
}

class FaultRun implements Witness {
  readonly #folder = mkdtempSync(join(tmpdir(), 'nexus-faults-'));
  readonly #judge = new Judge();
  readonly #ledger = new LogLedger(this.#judge);
  /** Methods of what reached a backend, by tag. */
  readonly #reached = new Map<string, string>();
  readonly #timers: NodeJS.Timeout[] = [];
  #backends: FaultyBackend[] = [];
  #places!: Places;
  #gateway!: GatewayProcess;
  #sessions = 0;
  #reloads = 0;
  #idleSockets = 0;
  #peakRss = 0;
  #endRss = 0;
  #before: Vitals = { heap: 0, timers: 0 };
  #after: Vitals = this.#before;

  constructor(readonly options: FaultRunOptions) {}

  get report(): FaultReport {
    const { violations, outcomes } = this.#judge;
    if (violations.length === 0) rmSync(this.#folder, { recursive: true });
    return {
      seed: this.options.seed,
      sessions: this.#sessions,
      exchanges: this.#ledger.count('request completed'),
      reloads: this.#reloads,
      outcomes: Object.fromEntries([...outcomes].toSorted(([a], [b]) => a.localeCompare(b))),
      rss: { peak: Math.round(this.#peakRss), end: Math.round(this.#endRss) },
      heap: { before: Math.round(this.#before.heap), after: Math.round(this.#after.heap) },
      violations,
      logFile: violations.length === 0 ? null : this.#gateway.logFile,
    };
  }

  reached(tag: string, method: string, id: string | undefined): void {
    if (id !== tag && tag !== 'malformed') this.violation(`a backend got ${tag} as request ${String(id)}`);
    // RFC 9110 §9.2.2: what is not idempotent must not be repeated by itself.
    if (method === 'POST' && this.#reached.has(tag)) this.violation(`${tag}: a POST reached backends twice`);
    if (tag !== 'malformed') this.#reached.set(tag, method);
  }

  violation(message: string): void {
    this.#judge.violation(message);
  }

  async start(): Promise<void> {
    const [port, inspectorPort, ...ports] = await quietPorts(9);
    const webSockets = new WebSocketBackend();
    this.#backends = ports.slice(0, 6).map((its) => new FaultyBackend(its, this, webSockets));
    await Promise.all(this.#backends.map((backend) => backend.start()));
    const urls = this.#backends.map((backend) => backend.url);
    const [steady, shaky, tight] = [urls.slice(0, 2), urls.slice(2, 5), urls.slice(5)];
    this.#places = { port: port!, steady, shaky, tight, dead: [`http://127.0.0.1:${ports[6]}`] };
    this.#gateway = new GatewayProcess(this.#folder, port!, inspectorPort!, (line) =>
      this.#ledger.take(line),
    );
    this.#gateway.configure(JSON.stringify(documentOf(this.#places, 0)));
    await this.#gateway.start();
    this.#before = await this.#gateway.vitals();
    this.#watch();
    if (GatewayProcess.isTransparent) this.#idleSockets = await this.#fewestSockets();
  }

  async trouble(): Promise<void> {
    const { seed, seconds, clients = 64 } = this.options;
    const over = AbortSignal.timeout(seconds * 1_000);
    const scene = { gateway: this.#gateway, places: this.#places, ledger: this.#ledger, judge: this.#judge };
    const [reloads] = await Promise.all([
      reloadAgainAndAgain(seed, scene, over),
      troubleBackends(seed, this.#backends.slice(2, 5), over),
      ...Array.from({ length: clients }, () => this.#client(over)),
    ]);
    this.#reloads = reloads;
  }

  /** The load is over: everything must come back to where it was. */
  async rest(): Promise<void> {
    if (this.#gateway.exit !== null) return;
    await this.#expect('gauges at 0', async () => busyGauges(await this.#gateway.metrics()));
    await this.#expect('no connection to a backend', async () =>
      this.#backends.flatMap((backend) => [...backend.connections].map((it) => it.state)),
    );
    if (GatewayProcess.isTransparent) await this.#expectTheProcessAtRest();
    // The log is written some moments later. Series of removed routes are dropped, but nothing is asked of those here.
    const counted = requestsIn(await this.#gateway.metrics());
    await this.#expect('as many log lines as requests counted', async () => {
      const logged = this.#ledger.count('request completed');
      return logged === counted ? [] : [`${counted} counted, ${logged} logged`];
    });
    this.#ledger.compare(this.#judge.seen, this.#reached.keys());
  }

  async end(): Promise<void> {
    this.#timers.forEach(clearInterval);
    if (this.#gateway.exit === null) await this.#gateway.stop();
    else this.violation(`the gateway ended by itself: ${this.#gateway.exit}`);
    if (this.#gateway.exit !== 0) this.violation(`the gateway stopped with ${this.#gateway.exit}`);
    if (this.#gateway.stderr !== '') this.violation(`stderr: ${this.#gateway.stderr.slice(0, 2_000)}`);
    await Promise.all(this.#backends.map((backend) => backend.kill('reset')));
  }

  async #client(over: AbortSignal): Promise<void> {
    const { seed, session } = this.options;
    const scene = { port: this.#places.port, judge: this.#judge };
    while (!over.aborted && this.#gateway.exit === null && this.#judge.violations.length < MAX_VIOLATIONS) {
      const index = this.#sessions++;
      const plan = sessionPlan(seed, session ?? index);
      try {
        await playSession(session === undefined ? plan : again(plan, index), scene);
      } catch (error) {
        if (this.#gateway.exit === null)
          this.violation(`session ${index} (${plan.kind}): ${(error as Error).stack}`);
      }
    }
  }

  #watch(): void {
    let last = performance.now();
    const look = (): void => {
      const now = performance.now();
      if (now - last > STANDSTILL_MS) this.#judge.lastStandstill = now;
      last = now;
      this.#gateway.readLog();
    };
    this.#timers.push(setInterval(look, 25));
    if (!GatewayProcess.isTransparent) return;
    this.#timers.push(
      setInterval(() => {
        if (this.#gateway.exit === null) this.#peakRss = Math.max(this.#peakRss, this.#gateway.rss);
      }, 500),
    );
  }

  async #expectTheProcessAtRest(): Promise<void> {
    // Probes come and go; in between there must be no more sockets than before the load.
    await this.#expect('sockets as before the load', async () => {
      const { sockets } = this.#gateway;
      return sockets > this.#idleSockets ? [`${sockets} sockets, ${this.#idleSockets} before`] : [];
    });
    this.#endRss = this.#gateway.rss;
    // Probes have timers of their own, now and then.
    await this.#expect('timers as before the load', async () => {
      this.#after = await this.#gateway.vitals();
      const { timers } = this.#after;
      return timers > this.#before.timers ? [`${timers} timers, ${this.#before.timers} before`] : [];
    });
    const grown = this.#after.heap - this.#before.heap;
    if (grown > MAX_HEAP_GROWTH_MB) this.violation(`the heap grew by ${Math.round(grown)} MB`);
    if (this.#peakRss > MAX_RSS_MB) this.violation(`${Math.round(this.#peakRss)} MB of memory`);
  }

  async #expect(what: string, faults: () => Promise<string[]>): Promise<void> {
    let left: string[] = [];
    try {
      await waitFor(async () => (left = await faults()).length === 0, what, {
        timeoutMs: 12_000,
        intervalMs: 37,
      });
    } catch (error) {
      this.violation(`not at rest: ${what}; ${left.join(', ')} ${left.length === 0 ? String(error) : ''}`);
    }
  }

  async #fewestSockets(): Promise<number> {
    let fewest = Infinity;
    for (let look = 0; look < 40; look++) {
      fewest = Math.min(fewest, this.#gateway.sockets);
      await delay(25);
    }
    return fewest;
  }
}

/** The same session under other names. */
function again(plan: ReturnType<typeof sessionPlan>, round: number): ReturnType<typeof sessionPlan> {
  return {
    ...plan,
    requests: plan.requests.map((request) => ({ ...request, tag: `${request.tag}.${round}` })),
  };
}

const GAUGES = /^gateway_(?:active_requests|backend_in_flight|websocket_connections)\b/;

function busyGauges(metrics: ReadonlyMap<string, number>): string[] {
  const busy = [...metrics].filter(([name, value]) => GAUGES.test(name) && value !== 0);
  // The scraper's own connection.
  const connections = metrics.get('gateway_active_connections') ?? 0;
  if (connections !== 1) busy.push(['gateway_active_connections', connections]);
  return busy.map((series) => series.join(' '));
}

function requestsIn(metrics: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [name, value] of metrics) if (name.startsWith('gateway_requests_total{')) sum += value;
  return sum;
}

/** Free ports below those that the kernel gives to clients: one of those could connect a dead port to itself. */
async function quietPorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let port = 11_000 + (process.pid % 8_000); ports.length < count; port++) {
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await listen(server, '127.0.0.1', port);
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
