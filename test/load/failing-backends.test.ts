import { expect, it } from 'vitest';

import { echoUpstream, freePort, startTestGateway, type TestGateway, waitFor } from '../support/index.js';

/** Keeps so many requests under way until `stop`; the statuses that clients saw. */
class Load {
  readonly statuses = new Map<number, number>();
  #stopped = false;
  readonly #workers: Promise<void>[];

  constructor(gateway: TestGateway, workers: number) {
    this.#workers = Array.from({ length: workers }, () => this.#work(gateway));
  }

  get total(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Share of answers that were no 200. */
  get errorRate(): number {
    return 1 - (this.statuses.get(200) ?? 0) / this.total;
  }

  async stop(): Promise<this> {
    this.#stopped = true;
    await Promise.all(this.#workers);
    return this;
  }

  async #work(gateway: TestGateway): Promise<void> {
    while (!this.#stopped) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what a worker does.
      const { status } = await gateway.get('/');
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
  }
}

/** Answers of one load of so many requests at least. */
async function under(gateway: TestGateway, requests: number, workers = 20): Promise<Load> {
  const load = new Load(gateway, workers);
  await waitFor(
    () => load.total >= requests,
    () => `${load.total} answers`,
    { timeoutMs: 20_000 },
  );
  return load.stop();
}

it('hides a backend that fails at once and one that is slow from the clients', async () => {
  const failing = await echoUpstream();
  failing.status = 503;
  const slow = await echoUpstream();
  slow.delayMs = 300;
  const fine = await echoUpstream();
  const backends = [failing.backend, slow.backend, fine.backend];
  const route = { path: '/', backends };

  const bare = await startTestGateway({ routes: [route] });
  const before = await under(bare, 300);
  // A third of the turns is the failing one's.
  expect(before.errorRate).toBeGreaterThan(0.25);
  expect(before.statuses.get(503)).toBeGreaterThan(0);

  const guarded = await startTestGateway({
    routes: [
      {
        ...route,
        balancing: 'least_connections',
        circuit_breaker: { failures: 5, cooldown: '30s' },
        retry: { attempts: 3, backoff: '10ms' },
      },
    ],
  });
  const after = await under(guarded, 1_000);
  expect(after.errorRate).toBe(0);
  expect(await guarded.metric('gateway_circuit_state', { backend: failing.url })).toBe(1);
  expect(fine.requests.length).toBeGreaterThan(slow.requests.length);
}, 60_000);

it('shows no client of GETs that a backend is killed and comes back', async () => {
  const port = await freePort();
  const staying = await echoUpstream();
  let dying = await echoUpstream({ port });
  const gateway = await startTestGateway({
    health_check: { interval: '500ms', timeout: '250ms', healthy_threshold: 1 },
    routes: [
      {
        path: '/',
        backends: [staying.backend, dying.backend],
        circuit_breaker: { failures: 3, cooldown: '1s' },
        retry: { attempts: 3, backoff: '20ms' },
      },
    ],
  });
  const { url } = dying;
  const load = new Load(gateway, 20);
  await waitFor(() => dying.requests.length > 50, 'requests to the one that will die');
  await dying.stop();
  await gateway.logged('backend became unhealthy', { backend: url });
  dying = await echoUpstream({ port });
  await gateway.logged('backend recovered', { backend: url }, { timeoutMs: 10_000 });
  await waitFor(() => dying.requests.length > 50, 'requests to the one that is back', { timeoutMs: 10_000 });
  await load.stop();
  expect([...load.statuses.keys()]).toEqual([200]);
}, 60_000);
