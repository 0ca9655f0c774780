import type { IncomingHttpHeaders } from 'node:http';

import { type CidrSet, normaliseIp } from '../common/cidr.js';
import { forwardedNodes } from './forwarded.js';

/** Hops walked at most; a longer chain of trusted addresses ends at the last one walked. */
const MAX_HOPS = 64;

/**
 * Says which address a request came from. Only what `trusted_proxies` wrote is believed: the walk goes from
 * the socket's peer back through the chain of proxies and ends at the first address that is not trusted.
 *
 * `X-Forwarded-For` wins where a request carries `Forwarded` too: nearly every proxy writes the former and hands
 * the latter on as the client sent it. A trusted proxy that writes only `Forwarded` must remove the other one.
 */
export class ClientAddressResolver {
  readonly #trustsNobody: boolean;

  constructor(readonly trusted: CidrSet) {
    this.#trustsNobody = trusted.isEmpty;
  }

  /** Whether the peer's own forwarding headers are believed. `peer` as {@link normaliseIp} gives it. */
  trusts(peer: string): boolean {
    return !this.#trustsNobody && this.trusted.has(peer);
  }

  /**
   * The client's address in canonical form. What is not an address ends the walk at the last trusted hop, so a
   * client can neither choose its key nor have an empty one. `peer` as {@link normaliseIp} gives it.
   */
  resolve(peer: string, headers: IncomingHttpHeaders): string {
    if (!this.trusts(peer)) return peer;
    const chain = headers['x-forwarded-for'];
    if (chain !== undefined) return this.#walkList(peer, textOf(chain));
    const { forwarded } = headers;
    return forwarded === undefined ? peer : this.#walkForwarded(peer, textOf(forwarded));
  }

  /** From the right, cutting one element at a time: what stands left of the client's address is never read. */
  #walkList(peer: string, chain: string): string {
    let hop = peer;
    let end = chain.length;
    for (let hops = 0; hops < MAX_HOPS && end >= 0; hops++) {
      const comma = end === 0 ? -1 : chain.lastIndexOf(',', end - 1);
      const element = chain.slice(comma + 1, end).trim();
      end = comma;
      // Empty elements say nothing (RFC 9110 §5.6.1.2).
      if (element === '') continue;
      const address = normaliseIp(element);
      if (address === null) return hop;
      if (!this.trusted.has(address)) return address;
      hop = address;
    }
    return hop;
  }

  #walkForwarded(peer: string, value: string): string {
    let hop = peer;
    for (const node of forwardedNodes(value).toReversed().slice(0, MAX_HOPS)) {
      const address = node === null ? null : normaliseIp(node);
      if (address === null) return hop;
      if (!this.trusted.has(address)) return address;
      hop = address;
    }
    return hop;
  }
}

function textOf(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(',');
}
