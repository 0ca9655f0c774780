import type { Dialled, Dialling } from '../../exchange/upstream.js';
import { Dial, type DialRoute } from './dial.js';
import { TlsClient, type TlsSettings } from './tls-client.js';

/** Opens the sockets to one backend: those of the pool, of probes, and of WebSockets, all in the same way. */
export class Dialer {
  readonly #tls: TlsClient | null;

  constructor(
    private readonly route: DialRoute,
    tls: TlsSettings,
  ) {
    const { target } = route;
    this.#tls = target.secure ? new TlsClient(target.serverName, tls) : null;
  }

  /** Calls back once, later, with a connected socket or with why there is none. `bare` leaves TLS out. */
  dial(done: Dialled, bare = false): Dialling {
    return new Dial(this.route, bare ? null : this.#tls, done);
  }
}
