import { headerTest } from '../common/header-test.js';
import { textHash } from '../common/text-hash.js';
import type { SplitConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { Upstream, UpstreamChoice } from '../exchange/upstream.js';
import { drawnFor } from './rendezvous.js';

type Headers = NonNullable<Exchange['raw']>['headers'];

/** An entry that takes by headers what has them all. */
interface Override {
  readonly upstream: Upstream;
  readonly tests: readonly ((headers: Headers) => boolean)[];
}

/** What one upstream takes of the exchanges that no header decides. */
interface Share {
  readonly upstream: Upstream;
  readonly weight: number;
  readonly seed: number;
}

/**
 * Sends each client of a route to one of several upstreams, the same one every time: the identity decides, else the
 * address. The choice is a weighted rendezvous: each upstream draws a number from client, route and its own name
 * alone, and the best draw wins. So it is the same in every process and after every restart, and another weight
 * moves clients between that upstream and the others, never among the others.
 */
export class Split implements UpstreamChoice {
  readonly #overrides: readonly Override[];
  readonly #shares: readonly Share[];
  readonly #seed: number;

  constructor(
    routeId: string,
    entries: readonly Readonly<SplitConfig>[],
    upstreams: ReadonlyMap<string, Upstream>,
  ) {
    this.#seed = textHash(routeId);
    this.#overrides = overridesOf(entries, upstreams);
    this.#shares = sharesOf(entries, upstreams);
  }

  choose(exchange: Exchange): Upstream {
    return this.#byHeaders(exchange) ?? this.#byClient(exchange.identity?.id ?? exchange.clientIp);
  }

  #byHeaders(exchange: Exchange): Upstream | null {
    if (this.#overrides.length === 0) return null;
    const { headers } = exchange.raw!;
    for (const { upstream, tests } of this.#overrides)
      if (tests.every((test) => test(headers))) return upstream;
    return null;
  }

  #byClient(client: string): Upstream {
    const key = textHash(client, this.#seed);
    let best = this.#shares[0]!;
    let least = Infinity;
    for (const share of this.#shares) {
      const drawn = drawnFor(key, share.seed, share.weight);
      if (drawn >= least) continue;
      least = drawn;
      best = share;
    }
    return best.upstream;
  }
}

function overridesOf(
  entries: readonly Readonly<SplitConfig>[],
  upstreams: ReadonlyMap<string, Upstream>,
): Override[] {
  return entries.flatMap(({ upstream, headers }) => {
    const tests = Object.entries(headers).map(([name, value]) => headerTest(name, value));
    return tests.length === 0 ? [] : [{ upstream: upstreams.get(upstream)!, tests }];
  });
}

/** Entries of one upstream share one draw; those without weight have none. */
function sharesOf(
  entries: readonly Readonly<SplitConfig>[],
  upstreams: ReadonlyMap<string, Upstream>,
): Share[] {
  const weights = new Map<string, number>();
  for (const { upstream, weight } of entries)
    if (weight > 0) weights.set(upstream, (weights.get(upstream) ?? 0) + weight);
  return Array.from(weights, ([name, weight]) => ({
    upstream: upstreams.get(name)!,
    weight,
    seed: textHash(name),
  }));
}
