import type { ConnectionGauge } from '../exchange/telemetry.js';

/** Counts the open sockets of the data port. */
export class Connections implements ConnectionGauge {
  open = 0;

  opened(): void {
    this.open += 1;
  }

  closed(): void {
    this.open -= 1;
  }
}
