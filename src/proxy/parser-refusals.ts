import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

import type { DefaultHeaders } from '../exchange/default-headers.js';
import type { AnswerReason } from '../exchange/reasons.js';
import { Refusal } from '../exchange/refusal.js';
import { type ClientConnection, connectionOf } from './client-connection.js';
import { addOwnHeaders } from './own-headers.js';
import { problemDocument } from './problem.js';

const REASON_BY_CODE: Readonly<Record<string, AnswerReason>> = {
  HPE_HEADER_OVERFLOW: 'header_too_large',
  HPE_INVALID_METHOD: 'not_implemented',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What cannot stand in a method or behind it (RFC 9110 §5.6.2), such as the first byte of TLS. */
const NO_METHOD = /[^!#$%&'*+\-.^_`|~0-9A-Za-z ]/;

/** What node tells of a parser's fault. */
interface ParserFault extends NodeJS.ErrnoException {
  /** The bytes that were being parsed, and how many of them were right. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** A method that nobody knows is not implemented; what is no method at all is no request. */
function reasonOf({ code = '', rawPacket, bytesParsed = 0 }: ParserFault): AnswerReason {
  const at = rawPacket?.toString('latin1', bytesParsed, bytesParsed + 1) ?? '';
  if (code === 'HPE_INVALID_METHOD' && NO_METHOD.test(at)) return 'bad_request';
  return REASON_BY_CODE[code] ?? 'bad_request';
}

/** Told of each refusal; knows what its answer carries. */
export interface RefusalWitness {
  refusedByParser(client: ClientConnection, refusal: Refusal): RefusedRequest;
}

export interface RefusedRequest {
  readonly id: string;
  readonly defaultHeaders: DefaultHeaders | null;
}

/** Answers what node's parser refuses before there is a request: same body, told once, the socket ends. */
export class ParserRefusals {
  readonly #refused = new WeakSet<Socket>();

  constructor(private readonly witness: RefusalWitness) {}

  onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const client = connectionOf(socket);
    // Whatever stands behind `Connection: close` is nobody's message (RFC 9112 §9.6).
    if (error.code === 'HPE_CLOSED_CONNECTION' || client.closing) return;
    // The client has left: its exchanges hear that of the socket.
    if (error.code === 'HPE_INVALID_EOF_STATE' && (client.busy || client.receivingBody)) return;
    this.refuse(socket, new Refusal(reasonOf(error), { cause: error }));
  }

  refuse(socket: Socket, refusal: Refusal): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const client = connectionOf(socket);
    if (client.awaitsOwnAnswer) this.#answer(client, refusal);
    else if (client.receivingBody) client.refuseBody(refusal);
    else client.afterLast(() => this.#answer(client, refusal));
  }

  #answer(client: ClientConnection, refusal: Refusal): void {
    const { socket } = client;
    client.closing = true;
    const exchange = this.witness.refusedByParser(client, refusal);
    const body = problemDocument(refusal, exchange.id);
    socket.on('error', () => {});
    const headers: string[] = [];
    exchange.defaultHeaders?.complete(headers, client.secure, true);
    addOwnHeaders(headers, exchange.id);
    socket.end(answer(refusal.getStatus(), headers, body), 'latin1');
    // What the client still sends is dropped; it has a moment to read the answer.
    setTimeout(() => socket.destroy(), 1_000).unref();
    socket.resume();
  }
}

/** In bytes as `latin1` text. */
function answer(status: number, headers: readonly string[], body: string): string {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...lines,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    Buffer.from(body).toString('latin1'),
  ].join('\r\n');
}
