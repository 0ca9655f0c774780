import type { SecurityHeaders as SecurityHeadersConfig } from '../config/response.config.js';
import type { DefaultHeaders } from '../exchange/default-headers.js';
import { MissingLines } from './missing-lines.js';

/** On which answers a header stands. */
type Scope = 'all' | 'secure' | 'own';

interface SecurityHeader {
  readonly name: string;
  readonly value: string;
  readonly scope: Scope;
}

/** The values of @fastify/helmet; a policy for pages is of no use on what upstreams answer. */
const STANDARD: readonly SecurityHeader[] = [
  { name: 'Strict-Transport-Security', value: 'max-age=31536000; includeSubDomains', scope: 'secure' },
  { name: 'X-Content-Type-Options', value: 'nosniff', scope: 'all' },
  { name: 'X-Frame-Options', value: 'DENY', scope: 'all' },
  { name: 'Referrer-Policy', value: 'no-referrer', scope: 'all' },
  { name: 'Content-Security-Policy', value: "default-src 'self'", scope: 'own' },
];

/** `security_headers` of a route or the document, compiled: the lines for each kind of answer. */
export class SecurityHeaders implements DefaultHeaders {
  readonly #plain: MissingLines;
  readonly #secure: MissingLines;
  readonly #ownPlain: MissingLines;
  readonly #ownSecure: MissingLines;

  constructor(headers: readonly SecurityHeader[]) {
    const lines = (...scopes: Scope[]): MissingLines =>
      new MissingLines(
        headers
          .filter(({ scope }) => scopes.includes(scope))
          .map(({ name, value }) => [name, Buffer.from(value).toString('latin1')]),
      );
    this.#plain = lines('all');
    this.#secure = lines('all', 'secure');
    this.#ownPlain = lines('all', 'own');
    this.#ownSecure = lines('all', 'secure', 'own');
  }

  complete(headers: string[], secure: boolean, own: boolean): void {
    if (own) (secure ? this.#ownSecure : this.#ownPlain).addTo(headers);
    else (secure ? this.#secure : this.#plain).addTo(headers);
  }
}

const AS_STANDARD = new SecurityHeaders(STANDARD);

/** Null for none at all. */
export function compileSecurityHeaders(config: Readonly<SecurityHeadersConfig>): SecurityHeaders | null {
  if (config === true) return AS_STANDARD;
  if (config === false) return null;
  const headers = withChanges(config);
  return headers.length === 0 ? null : new SecurityHeaders(headers);
}

/** What a map names stands on all answers, but for HSTS, which plain ones must not carry (RFC 6797 §7.2). */
function withChanges(changes: Readonly<Record<string, string | false>>): SecurityHeader[] {
  const changed = new Map(
    Object.entries(changes).map(([name, value]) => [name.toLowerCase(), { name, value }]),
  );
  const untouched = STANDARD.filter(({ name }) => !changed.has(name.toLowerCase()));
  const own = [...changed].flatMap(([lower, { name, value }]): SecurityHeader[] => {
    const scope = lower === 'strict-transport-security' ? 'secure' : 'all';
    return value === false ? [] : [{ name, value, scope }];
  });
  return [...untouched, ...own];
}
