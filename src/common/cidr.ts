import { isMapped, mappedIPv4, parseIPv4, parseIPv6 } from './ip-address.js';

export { normaliseIp } from './ip-address.js';

/** A block of addresses: first and last in 16-bit groups, two for IPv4 and eight for IPv6. */
interface Block {
  readonly first: Uint16Array;
  readonly last: Uint16Array;
}

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const scratch4 = new Uint16Array(2);
const scratch6 = new Uint16Array(8);

/** Whether the text is a CIDR (`10.0.0.0/8`, `2001:db8::/32`) or a single address; host bits may be set. */
export function isCidr(text: string): boolean {
  return parseCidr(text) !== null;
}

/** Disjoint blocks of one family, ascending. */
class BlockList {
  readonly #blocks: readonly Block[];

  constructor(blocks: readonly Block[], groups: number) {
    const sorted = blocks.filter((block) => block.first.length === groups).toSorted(byStart);
    // Two CIDRs are disjoint or one holds the other, so what starts inside the one before is part of it.
    const disjoint: Block[] = [];
    for (const block of sorted) {
      const before = disjoint.at(-1);
      if (!before || compare(block.first, before.last) > 0) disjoint.push(block);
    }
    this.#blocks = disjoint;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  has(address: Uint16Array): boolean {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const block = this.#blocks[middle]!;
      if (compare(address, block.first) < 0) high = middle - 1;
      else if (compare(address, block.last) > 0) low = middle + 1;
      else return true;
    }
    return false;
  }
}

/** A set of addresses written as CIDRs and single addresses; immutable. Look-ups cost O(log n), no allocation. */
export class CidrSet {
  static readonly EMPTY = new CidrSet([]);
  readonly #v4: BlockList;
  readonly #v6: BlockList;

  /** Throws a RangeError that names the first text which is not a CIDR. */
  constructor(cidrs: readonly string[]) {
    const blocks = cidrs.map((text) => parseCidr(text) ?? notCidr(text));
    this.#v4 = new BlockList(blocks, 2);
    this.#v6 = new BlockList(blocks, 8);
  }

  get isEmpty(): boolean {
    return this.#v4.isEmpty && this.#v6.isEmpty;
  }

  /** Whether the address is in the set; IPv4-mapped ones count as IPv4, what is no address is in no set. */
  has(ip: string): boolean {
    const address = parseIPv4(ip);
    if (address >= 0) return this.#hasV4(address);
    if (!parseIPv6(ip, scratch6)) return false;
    return isMapped(scratch6) ? this.#hasV4(mappedIPv4(scratch6)) : this.#v6.has(scratch6);
  }

  #hasV4(address: number): boolean {
    if (this.#v4.isEmpty) return false;
    writeIPv4(address, scratch4);
    return this.#v4.has(scratch4);
  }
}

function parseCidr(text: string): Block | null {
  const slash = text.indexOf('/');
  const address = parseGroups(slash === -1 ? text : text.slice(0, slash));
  if (!address) return null;
  const bits = address.length * 16;
  if (slash === -1) return blockOf(address, bits);
  const prefix = text.slice(slash + 1);
  return PREFIX.test(prefix) && Number(prefix) <= bits ? blockOf(address, Number(prefix)) : null;
}

function parseGroups(text: string): Uint16Array | null {
  const v4 = parseIPv4(text);
  if (v4 >= 0) return writeIPv4(v4, new Uint16Array(2));
  const groups = new Uint16Array(8);
  return parseIPv6(text, groups) ? groups : null;
}

function blockOf(address: Uint16Array, prefix: number): Block {
  if (prefix >= 96 && isMapped(address)) return blockOf(address.slice(6), prefix - 96);
  const hostMask = (at: number): number => 0xffff >>> Math.min(Math.max(prefix - at * 16, 0), 16);
  return {
    first: address.map((group, at) => group & ~hostMask(at)),
    last: address.map((group, at) => group | hostMask(at)),
  };
}

function writeIPv4(address: number, groups: Uint16Array): Uint16Array {
  groups[0] = address >>> 16;
  groups[1] = address & 0xffff;
  return groups;
}

/** Ascending by first address; of two that start alike the larger one comes first. */
function byStart(a: Block, b: Block): number {
  return compare(a.first, b.first) || compare(b.last, a.last);
}

function compare(a: Uint16Array, b: Uint16Array): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return 0;
}

function notCidr(text: string): never {
  throw new RangeError(`not an address or CIDR: ${text}`);
}
