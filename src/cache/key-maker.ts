import { joinedHeader } from '../common/raw-headers.js';
import { isOverTls } from '../common/tcp-socket.js';
import type { GatewayConfig } from '../config/gateway.config.js';
import type { RouteConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { RouteTools } from '../exchange/forwarder.js';
import { fingerprint } from './cache-policy.js';
import { queryPicker } from './query-picker.js';
import type { SetFacts } from './rules/stored.js';
import { toldIdentity } from './told-identity.js';

/**
 * Makes the primary keys of one route (RFC 9111 §4): its id and settings, the upstream, scheme and host as the client
 * named them, the target, the configured headers, the identity. No two of them can make the same text: a newline stands
 * in none of the parts but the last, and a target begins with a slash, which no name of a header holds.
 */
export class KeyMaker {
  readonly #prefix: string;
  readonly #headers: readonly string[];
  readonly #pick: (query: string) => string;
  /** The upstream's target is not the client's: the key must hold what decides about the answer. */
  readonly #isRewritten: boolean;
  readonly #groupsByPath: boolean;
  readonly #byIdentity: boolean;

  constructor(
    private readonly route: Readonly<RouteConfig>,
    document: Readonly<GatewayConfig>,
    private readonly tools: RouteTools,
  ) {
    const { key } = route.cache!;
    this.#prefix = `${route.id}\n${fingerprint(route)}\n`;
    this.#headers = [...new Set(key.headers.map((name) => name.toLowerCase()))].toSorted();
    this.#pick = queryPicker(key.query);
    this.#isRewritten = isRewritten(route) || document.auth.api_keys?.query != null;
    this.#groupsByPath = key.query !== 'all' || this.#isRewritten;
    this.#byIdentity = key.identity === true;
  }

  factsOf(exchange: Exchange): SetFacts {
    return new Facts(this.#keyOf(exchange), this.route.id, exchange, this.#groupsByPath);
  }

  #keyOf(exchange: Exchange): string {
    let key = `${this.#prefix}${exchange.upstream!.name}\n${this.#originOf(exchange)}\n${this.#targetOf(exchange)}`;
    if (this.#headers.length > 0) key += this.#headersOf(exchange);
    return this.#byIdentity ? key + toldIdentity(exchange) : key;
  }

  /** As the upstream gets them: the gateway writes some of them itself, and removes others. */
  #headersOf(exchange: Exchange): string {
    const { lines } = this.tools.outgoing(exchange);
    let key = '';
    for (const name of this.#headers) {
      const value = joinedHeader(lines, name);
      key += value === null ? '\n' : `\n=${value}`;
    }
    return key;
  }

  /**
   * A trusted proxy in front may tell another scheme, host, prefix or target, by which upstreams make redirects and
   * links; and it may be one that passes such lines on as its client wrote them.
   */
  #originOf(exchange: Exchange): string {
    const host = hostOf(exchange);
    if (!exchange.peerTrusted) return isOverTls(exchange.raw!.socket) ? `https:${host}` : host;
    const { lines } = this.tools.outgoing(exchange);
    let origin = host;
    for (let at = 0; at < lines.length; at += 2) {
      const name = lines[at]!.toLowerCase().replaceAll('_', '-');
      if (tellsOrigin(name)) origin += `\n${name}=${lines[at + 1]}`;
    }
    return origin;
  }

  #targetOf(exchange: Exchange): string {
    if (!this.#isRewritten) return exchange.target!.rawPath + this.#pick(exchange.target!.query);
    const { target } = this.tools.outgoing(exchange);
    const at = target.indexOf('?');
    return at === -1 ? target : target.slice(0, at) + this.#pick(target.slice(at));
  }
}

/** Their group is worked out where it is asked for: a hit in memory does not. */
class Facts implements SetFacts {
  readonly path: string;

  // oxlint-disable-next-line max-params -- what it is made of.
  constructor(
    readonly key: string,
    readonly route: string,
    private readonly exchange: Exchange,
    private readonly groupsByPath: boolean,
  ) {
    this.path = exchange.target!.path;
  }

  get group(): string {
    const { path, query } = this.exchange.target!;
    return groupOf(this.exchange, this.groupsByPath ? path : path + query);
  }
}

/** Addresses aside: they are each client's own, and what depends on them is not for a shared cache. */
function tellsOrigin(name: string): boolean {
  if (name === 'x-original-url' || name === 'x-rewrite-url') return true;
  return name.startsWith('x-forwarded-') && name !== 'x-forwarded-for';
}

/** Lower case, with its port. */
export function hostOf(exchange: Exchange): string {
  return (exchange.target?.authority ?? exchange.head.host).toLowerCase();
}

/**
 * What an unsafe request for this target invalidates together (RFC 9111 §4.4): spellings of one URI are one, so the
 * port that the scheme says anyway does not count (RFC 3986 §6.2.3).
 * @param target canonical path, and query where it counts
 */
export function groupOf(exchange: Exchange, target: string): string {
  return hostOf(exchange).replace(DEFAULT_PORT, '') + target;
}

/** Whether TLS ended at the gateway or before it, it can't always tell: those of both schemes. */
export const DEFAULT_PORT = /:(?:80|443)?$/;

function isRewritten({ rewrite, transform }: Readonly<RouteConfig>): boolean {
  const { headers, query } = transform.request;
  return rewrite !== null || [headers, query].some((edits) => Object.values(edits).some(isSet));
}

function isSet(edits: object): boolean {
  return Object.keys(edits).length > 0;
}
