import type { FastifyInstance } from 'fastify';

import { isOverTls } from '../common/tcp-socket.js';
import type { DefaultHeaders, DefaultHeadersCompiler } from '../exchange/default-headers.js';
import type { Snapshot, SnapshotListener } from '../exchange/snapshot.js';

/** Puts the headers on all that an application of the gateway's own answers (the admin port). */
export class OwnPages implements SnapshotListener {
  #headers: DefaultHeaders | null = null;

  constructor(private readonly compiler: DefaultHeadersCompiler) {}

  /** For answers from in front of the application. */
  get headers(): DefaultHeaders | null {
    return this.#headers;
  }

  applied({ config }: Pick<Snapshot, 'config'>): void {
    this.#headers = this.compiler.forDocument(config);
  }

  /** To be called before the application's routes are registered. What a page sets itself wins. */
  attach(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      const lines: string[] = [];
      this.#headers?.complete(lines, isOverTls(request.raw.socket), true);
      for (let at = 0; at < lines.length; at += 2) void reply.header(lines[at]!, lines[at + 1]!);
      done();
    });
  }
}
