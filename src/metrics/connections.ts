import type { ConnectionGauge } from '../exchange/telemetry.js';

/** Counts the open sockets of the data port, and handshakes that failed there. */
export class Connections implements ConnectionGauge {
  open = 0;
  failedHandshakes = 0;

  opened(): void {
    this.open += 1;
  }

  closed(): void {
    this.open -= 1;
  }

  handshakeFailed(): void {
    this.failedHandshakes += 1;
  }
}
