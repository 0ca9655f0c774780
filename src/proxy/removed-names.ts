import type { GatewayConfig } from '../config/gateway.config.js';

/**
 * Header names that clients may not use, compared as an upstream may read them: without case, and `_` as `-`
 * (CGI, WSGI and PHP make one variable of the two).
 */
export class RemovedNames {
  readonly #names: ReadonlySet<string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(Array.from(names, (name) => name.toLowerCase().replaceAll('_', '-')));
  }

  has(lowerCaseName: string): boolean {
    if (this.#names.size === 0) return false;
    return this.#names.has(lowerCaseName.includes('_') ? lowerCaseName.replaceAll('_', '-') : lowerCaseName);
  }
}

/** All routes of a document share them. */
const ofDocuments = new WeakMap<Readonly<GatewayConfig>, RemovedNames>();

/** What only the gateway says of an identity, and the key that is not for the upstream; on every route, open ones too. */
export function removedNames(document: Readonly<GatewayConfig>): RemovedNames {
  const known = ofDocuments.get(document) ?? namesOf(document);
  ofDocuments.set(document, known);
  return known;
}

function namesOf({ auth }: Readonly<GatewayConfig>): RemovedNames {
  const { jwt, api_keys: keys } = auth;
  return new RemovedNames([
    ...(jwt ? Object.values(jwt.forward) : []),
    ...(keys && !keys.forward ? [keys.header] : []),
  ]);
}
