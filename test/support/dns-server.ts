import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

import { closeAtEnd } from './cleanup.js';

export interface ServiceAnswer {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  readonly target: string;
}

/** What a name is answered; a fault is the answer to every question about it. */
export type DnsAnswer =
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'silence'
  | {
      /** IPv4 and IPv6 addresses; each question gets its own kind. */
      readonly addresses?: readonly string[];
      readonly services?: readonly ServiceAnswer[];
      /** Question types that are answered SERVFAIL. */
      readonly failing?: readonly ('A' | 'AAAA' | 'SRV')[];
      /** Seconds. */
      readonly ttl?: number;
    };

interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'SRV';
}

const TYPES: Readonly<Record<number, Question['type']>> = { 1: 'A', 28: 'AAAA', 33: 'SRV' };
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 };
const HEADER = 12;

/** A DNS server on a UDP port of 127.0.0.1 (RFC 1035). Names that it was not told of do not exist. */
export class DnsServer {
  /** The questions that came, in order. */
  readonly questions: Question[] = [];
  /** `host:port`, as `discovery.servers` takes it. */
  address = '';
  readonly #answers = new Map<string, DnsAnswer>();
  readonly #socket = createSocket('udp4');

  async start(): Promise<this> {
    this.#socket.on('message', (query, from) => {
      const reply = this.#reply(query);
      if (reply) this.#socket.send(reply, from.port, from.address);
    });
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
    this.address = `127.0.0.1:${this.#socket.address().port}`;
    return this;
  }

  set(name: string, answer: DnsAnswer): void {
    this.#answers.set(name, answer);
  }

  /** How often a name was asked for. */
  asked(name: string, type: Question['type'] = 'A'): number {
    return this.questions.filter((one) => one.name === name && one.type === type).length;
  }

  stop(): void {
    this.#socket.close();
  }

  #reply(query: Buffer): Buffer | null {
    const { question, end } = read(query);
    this.questions.push(question);
    const answer = this.#answers.get(question.name) ?? 'NXDOMAIN';
    if (answer === 'silence') return null;
    if (typeof answer === 'string') return message(query, end, RCODES[answer], []);
    if (answer.failing?.includes(question.type)) return message(query, end, RCODES.SERVFAIL, []);
    const records = dataOf(question.type, answer).map((data) =>
      record(query.readUInt16BE(end - 4), answer.ttl ?? 1, data),
    );
    return message(query, end, 0, records);
  }
}

/** Starts a DNS server that knows these names. */
export async function dnsServer(names: Record<string, DnsAnswer> = {}): Promise<DnsServer> {
  const server = await new DnsServer().start();
  for (const [name, answer] of Object.entries(names)) server.set(name, answer);
  closeAtEnd(() => server.stop());
  return server;
}

function read(query: Buffer): { question: Question; end: number } {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1)]!;
  return { question: { name: labels.join('.').toLowerCase(), type }, end: at + 5 };
}

function message(query: Buffer, end: number, rcode: number, records: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER);
  query.copy(header, 0, 0, 2);
  // A response, recursion desired and available.
  header.writeUInt16BE(0x8180 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(HEADER, end), ...records]);
}

/** About the name of the question. */
function record(type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc000 | HEADER, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(type: Question['type'], answer: Exclude<DnsAnswer, string>): Buffer[] {
  const { addresses = [], services = [] } = answer;
  if (type === 'SRV') return services.map(serviceData);
  const wanted = addresses.filter((address) => isIPv6(address) === (type === 'AAAA'));
  return wanted.map(type === 'AAAA' ? ipv6Data : (address) => Buffer.from(address.split('.').map(Number)));
}

function ipv6Data(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(head), groups(tail)];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

function serviceData({ priority, weight, port, target }: ServiceAnswer): Buffer {
  const numbers = Buffer.alloc(6);
  for (const [at, value] of [priority, weight, port].entries()) numbers.writeUInt16BE(value, at * 2);
  const labels = target
    .split('.')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([numbers, ...labels, Buffer.from([0])]);
}
