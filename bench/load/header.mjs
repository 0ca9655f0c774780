import { createHmac } from 'node:crypto';

/** Signs the token that every request carries; "everything on" verifies it. */
export const JWT_SECRET = 'a secret of the benchmark, long enough';

const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { sub: 'ada', roles: ['reader', 'writer'], iss: 'bench', aud: 'api', exp: 4_102_444_800 };
const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
const token = `${signed}.${createHmac('sha256', JWT_SECRET).update(signed).digest('base64url')}`;

const TEAM = 'x-team: blue';

/** What every request carries, so that "everything on" finds it and nobody else has less to read. */
const HEADERS = [TEAM, `authorization: Bearer ${token}`];
/** A shared cache keeps no answer to a request with credentials (RFC 9111 §3.5). */
const ANONYMOUS = [TEAM];

export function headersFor({ anonymous }) {
  return anonymous ? ANONYMOUS : HEADERS;
}
