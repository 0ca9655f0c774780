import { constants } from 'node:crypto';
import type { Server as NetServer, Socket } from 'node:net';
import type { SecureContextOptions, Server, TlsOptions, TLSSocket } from 'node:tls';

import { normaliseIp } from '../common/cidr.js';
import { tcpSocketOf } from '../common/tcp-socket.js';
import type { TlsConfig } from '../config/server.config.js';
import type { Log } from '../exchange/event-log.js';
import { RenewingCertificate } from './renewing-certificate.js';
import type { TlsMaterial } from './tls-material.js';

/** Node's types leave out that the two are read at each handshake. */
type Asking = Server & { requestCert: boolean; rejectUnauthorized: boolean };

/** TLS on one listener: what its server is made with, and what may change while it runs. */
export class TlsListener {
  readonly #certificate: RenewingCertificate;
  /** Also those in the middle of a handshake, of which the HTTP server knows nothing. */
  readonly #sockets = new Set<Socket>();
  #config: Readonly<TlsConfig>;
  #server: Asking | null = null;

  /** Throws when the files do not hold. `name` is the listener's in logs. */
  constructor(
    readonly name: 'data' | 'admin',
    config: Readonly<TlsConfig>,
  ) {
    this.#config = config;
    this.#certificate = new RenewingCertificate(name, config);
    this.#certificate.renewed = (material) => this.#server?.setSecureContext(this.#context(material));
  }

  /** @param handshakeTimeoutMs longest time for a handshake */
  serverOptions(handshakeTimeoutMs: number): TlsOptions {
    return {
      ...this.#context(this.#certificate.material),
      ...asking(this.#config),
      handshakeTimeout: handshakeTimeoutMs,
      ALPNProtocols: ['http/1.1'],
    };
  }

  /** From here on the files are watched. `failed` hears of each handshake that came to nothing. */
  attach(server: NetServer, log: Log, failed: () => void = () => {}): void {
    this.#server = server as Asking;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // As on a plain port, what a half-closed connection means is the gateway's to say; in a handshake it is the end.
    server.on('secureConnection', (socket: TLSSocket) => (socket.allowHalfOpen = true));
    // Node's own makes a fault of HTTP out of it.
    server.removeAllListeners('tlsClientError');
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
      failed();
      const { name: listener } = this;
      log.debug(
        { listener, remote_addr: addressOf(socket), err: faultOf(error, socket) },
        'TLS handshake failed',
      );
      socket.destroy();
    });
    this.#certificate.watch(log);
  }

  /** What a reload may change of it; connections that stand keep what they were made with. */
  use(config: Readonly<TlsConfig>): void {
    const before = this.#config;
    this.#config = config;
    this.#certificate.use(config);
    if (this.#server === null || sameDemands(before, config)) return;
    // Always with a new context: tickets of the old one would let clients in by what was asked of them then.
    this.#server.setSecureContext(this.#context(this.#certificate.material));
    Object.assign(this.#server, asking(config));
  }

  /** Stops watching, and ends all connections. */
  close(): void {
    this.#certificate.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A client that asks for renegotiation wants to make work. */
  #context({ cert, key, ca }: TlsMaterial): SecureContextOptions {
    const { min_version: minVersion } = this.#config;
    return {
      cert,
      key,
      minVersion,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(ca !== null && { ca }),
    };
  }
}

function asking({ client_auth }: Readonly<TlsConfig>): { requestCert: boolean; rejectUnauthorized: boolean } {
  return { requestCert: client_auth !== 'none', rejectUnauthorized: client_auth === 'require' };
}

function sameDemands(one: Readonly<TlsConfig>, other: Readonly<TlsConfig>): boolean {
  return one.min_version === other.min_version && one.client_auth === other.client_auth;
}

function addressOf(socket: TLSSocket): string | null {
  const { remoteAddress, remotePort } = tcpSocketOf(socket);
  if (remoteAddress === undefined) return null;
  const address = normaliseIp(remoteAddress) ?? remoteAddress;
  return `${address.includes(':') ? `[${address}]` : address}:${remotePort}`;
}

/** A client's certificate that was not believed ends the connection without an error of its own. */
function faultOf(error: NodeJS.ErrnoException, { authorizationError }: TLSSocket): string {
  return String(authorizationError || error.code || error.message);
}
