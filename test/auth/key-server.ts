import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { closeAtEnd, listen, urlOf } from '../support/index.js';
import type { IssuerKey } from './tokens.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An issuer's server: its JWK set at `/keys`, discovery at `/.well-known/openid-configuration`. It counts. */
export class KeyServer {
  /** Paths of the requests, in order. */
  readonly fetches: string[] = [];
  keys: readonly IssuerKey[] = [];
  /** Answers in the place of the key set. */
  answer: Answer | null = null;
  /** What discovery says beside `issuer` and `jwks_uri`. */
  discovery: object = {};
  port = 0;
  readonly #server = createServer((request, response) => this.#respond(request, response));

  get url(): string {
    return urlOf('127.0.0.1', this.port);
  }

  get jwksUri(): string {
    return `${this.url}/keys`;
  }

  /** On the same port as before, once it was open. */
  async open(): Promise<void> {
    this.port = await listen(this.#server, '127.0.0.1', this.port);
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    this.fetches.push(request.url!);
    if (request.url === '/.well-known/openid-configuration')
      return json(response, { issuer: this.url, jwks_uri: this.jwksUri, ...this.discovery });
    if (this.answer !== null) return this.answer(request, response);
    json(response, { keys: this.keys.map(({ jwk }) => jwk) });
  }
}

export function json(response: ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

export async function keyServer(...keys: IssuerKey[]): Promise<KeyServer> {
  const server = new KeyServer();
  server.keys = keys;
  await server.open();
  closeAtEnd(() => server.close());
  return server;
}
