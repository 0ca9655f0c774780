import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';

import { closeAtEnd } from './cleanup.js';
import { listen } from './ports.js';

const FOLDER = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));

/** The path of a test certificate or key (test/fixtures/tls/README.md). */
export const tlsFile = (name: string): string => FOLDER + name;

export interface TlsUpstreamOptions extends ServerOptions {
  readonly host?: string;
  /** Certificates whose bearers alone are served. */
  readonly clients?: string;
  readonly respond?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** An https server; answers with what it was asked and how it was spoken to. */
export class TlsUpstream {
  /** Targets of the requests that came. */
  readonly requests: string[] = [];
  /** Handshakes that were completed from the server's side. */
  handshakes = 0;
  resumed = 0;
  readonly server;

  constructor(certificate: string, key: string, options: TlsUpstreamOptions) {
    const { clients } = options;
    const asked =
      clients === undefined ? {} : { ca: pem(clients), requestCert: true, rejectUnauthorized: true };
    const settings = { cert: pem(certificate), key: pem(key), ...asked, ...options };
    this.server = createServer(settings, (request, response) => {
      this.requests.push(request.url!);
      if (options.respond) options.respond(request, response);
      else response.end(JSON.stringify(seen(request)));
    });
    this.server.on('secureConnection', (socket) => {
      this.handshakes++;
      if (socket.isSessionReused()) this.resumed++;
    });
    this.server.on('tlsClientError', () => {});
  }
}

export interface SeenOverTls {
  readonly url: string;
  readonly host: string;
  readonly servername: string | false;
  /** Fingerprint of the client's certificate. */
  readonly client: string | null;
}

function seen(request: IncomingMessage): SeenOverTls {
  const socket = request.socket as TLSSocket & { servername?: string | false };
  // Without a certificate node gives an empty object, which its types leave out.
  const peer: Partial<PeerCertificate> = socket.getPeerCertificate();
  const { host = '' } = request.headers;
  return {
    url: request.url!,
    host,
    servername: socket.servername ?? false,
    client: peer.fingerprint256 ?? null,
  };
}

const pem = (name: string): Buffer => readFileSync(tlsFile(name));

/** Starts one with this certificate and key; `port` is where. */
export async function tlsUpstream(
  certificate: string,
  key: string,
  options: TlsUpstreamOptions = {},
): Promise<TlsUpstream & { readonly port: number }> {
  const upstream = new TlsUpstream(certificate, key, options);
  const port = await listen(upstream.server, options.host);
  closeAtEnd(() => {
    upstream.server.close();
    upstream.server.closeAllConnections();
  });
  return Object.assign(upstream, { port });
}
