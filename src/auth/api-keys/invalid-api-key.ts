import { Refusal } from '../../exchange/refusal.js';

/** The refusal of a key that is missing, wrong or expired: nobody is told which. */
export function invalidApiKey(header: string): Refusal {
  // RFC 9110 §15.5.2: every 401 names a way to do better.
  return new Refusal('invalid_api_key', {
    headers: { 'WWW-Authenticate': `ApiKey header="${header.toLowerCase()}"` },
  });
}
