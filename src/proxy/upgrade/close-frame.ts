import { randomFillSync } from 'node:crypto';

/** Status code 1001, going away (RFC 6455 §7.4.1). */
const GOING_AWAY = Buffer.from([0x03, 0xe9]);

/** A close frame with code 1001 as a server sends it. */
export const CLOSE_TO_CLIENT = Buffer.from([0x88, 0x02, ...GOING_AWAY]);

/** The same as a client sends it: masked, with a fresh key (RFC 6455 §5.3). */
export function closeToUpstream(): Buffer {
  const frame = Buffer.from([0x88, 0x82, 0, 0, 0, 0, ...GOING_AWAY]);
  randomFillSync(frame, 2, 4);
  frame[6]! ^= frame[2]!;
  frame[7]! ^= frame[3]!;
  return frame;
}
