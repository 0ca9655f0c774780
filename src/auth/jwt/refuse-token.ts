import { Refusal } from '../../exchange/refusal.js';

const CHALLENGE = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };

/** What every token that does not hold is answered (RFC 6750 §3.1); the client never learns why. */
export function invalidToken(): Refusal {
  return new Refusal('invalid_token', { headers: CHALLENGE });
}
