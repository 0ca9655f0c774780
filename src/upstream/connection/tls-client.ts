import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';

/** How the backends of one upstream are to prove who they are, and how the gateway does. */
export interface TlsSettings {
  /** Null: the system's authorities, and no certificate of the gateway's own. */
  readonly context: SecureContext | null;
  readonly insecure: boolean;
}

/** TLS towards one backend; keeps its last session, so that the next handshake is a short one. */
export class TlsClient {
  #session: Buffer | null = null;

  constructor(
    private readonly serverName: string,
    private readonly settings: TlsSettings,
  ) {}

  /** Begins a handshake on a connected socket. The certificate is checked before `secureConnect`. */
  secure(socket: Socket): TLSSocket {
    const { context, insecure } = this.settings;
    const secured = connect({
      socket,
      // An address is no name to ask for (RFC 6066 §3); node then checks the certificate for `host`.
      host: this.serverName,
      servername: isIP(this.serverName) === 0 ? this.serverName : '',
      rejectUnauthorized: !insecure,
      ALPNProtocols: ['http/1.1'],
      ...(context !== null && { secureContext: context }),
      ...(this.#session !== null && { session: this.#session }),
    });
    // Not before: a resumed session is not checked for its name again, so only what was checked may be resumed.
    secured.once('secureConnect', () => this.#remember(secured));
    return secured;
  }

  #remember(secured: TLSSocket): void {
    // TLS 1.3 sends sessions after the handshake, as often as it likes.
    secured.on('session', (session) => (this.#session = session));
    if (secured.getProtocol() === 'TLSv1.2') this.#session = secured.getSession() ?? null;
  }
}
