import { expect } from 'vitest';

import type { UpstreamStatus } from '../../src/exchange/gateway-control.js';
import {
  type ClientResponse,
  type EchoUpstream,
  startTestGateway,
  type TestGateway,
  waitFor,
} from '../support/index.js';

const NUMBERS = ['closed', 'open', 'half-open'];

type Backend = Pick<EchoUpstream, 'url'>;

export const BREAKER = { failures: 3, cooldown: '300ms', half_open_requests: 1, successes: 1 };
/** It stays open for the whole test. */
export const LONG = { ...BREAKER, cooldown: '20s' };

export const documentOf = (
  backends: readonly Backend[],
  breaker: object | null,
  route: object = {},
): object => ({
  upstreams: { u: { backends: backends.map(({ url }) => ({ url })), circuit_breaker: breaker } },
  routes: [{ id: 'u', path: '/', upstream: 'u', ...route }],
});

/** A gateway before backends with a breaker, and what it shows of the first one's circuit. */
export class BreakerTest {
  constructor(
    readonly gateway: TestGateway,
    readonly backend: Backend,
  ) {}

  /** What status page and metric say; they must say the same. */
  async circuit(): Promise<string> {
    const upstreams = (await this.gateway.get('/_gateway/upstreams')).json<UpstreamStatus[]>();
    const shown = upstreams[0]!.backends.find(({ url }) => url === this.backend.url)!.circuit;
    const value = await this.gateway.metric('gateway_circuit_state', {
      upstream: 'u',
      backend: this.backend.url,
    });
    if (value !== NUMBERS.indexOf(shown)) throw new Error(`${shown} is ${value} in the metrics`);
    return shown;
  }

  /** Waits until the cooldown is over. By the metric alone: two looks at a clock may differ. */
  async untilHalfOpen(): Promise<void> {
    const labels = { upstream: 'u', backend: this.backend.url };
    const value = (): Promise<number | undefined> => this.gateway.metric('gateway_circuit_state', labels);
    await waitFor(async () => (await value()) === 2, 'half-open');
  }

  /** The circuit's changes as logged, in order. */
  get changes(): string[] {
    return this.gateway.logs
      .filter(
        ({ msg, upstream, backend }) => isCircuit(msg) && upstream === 'u' && backend === this.backend.url,
      )
      .map(({ msg }) => msg.slice('circuit '.length));
  }

  /** One after the other, each over a connection of its own. */
  async statuses(count: number): Promise<number[]> {
    const all: number[] = [];
    for (let n = 0; n < count; n++) all.push((await this.ask()).status);
    return all;
  }

  ask(path = '/x'): Promise<ClientResponse> {
    return this.gateway.get(path, { agent: false });
  }
}

function isCircuit(msg: string): boolean {
  return msg.startsWith('circuit ');
}

export async function breakerTest(
  backends: readonly Backend[],
  breaker: object = BREAKER,
  route: object = {},
): Promise<BreakerTest> {
  return new BreakerTest(await startTestGateway(documentOf(backends, breaker, route)), backends[0]!);
}

/** The answer of an upstream whose circuits are all open, with the seconds to wait. */
export function expectCircuitOpen(answer: ClientResponse): number {
  expect(answer.status).toBe(503);
  expect(answer.json()).toMatchObject({ code: 'circuit_open', error: 'circuit open' });
  expect(answer.header('retry-after')).toMatch(/^[1-9]\d*$/);
  return Number(answer.header('retry-after'));
}
