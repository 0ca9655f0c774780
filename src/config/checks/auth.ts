import { createPublicKey, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { fitsAlgorithm, keyType } from '../../common/key-types.js';
import type { ApiKeyConfig, ApiKeysConfig, AuthPolicy, JwtConfig } from '../auth.config.js';
import type { Draft } from '../draft.js';
import { urlFault } from '../keys/formats.js';
import { shown } from '../secrets.js';
import { takes } from './limits.js';
import { checkForward, isOwnHeader } from './forward.js';

/** Who may pass, and how that is proved. */
export function checkAuth(draft: Draft): void {
  const { document, routes, report, trace } = draft;
  const { auth } = document;
  checkPolicy(draft, auth, 'default', auth.default);
  for (const route of routes) {
    if (trace.given(route, 'auth')) checkPolicy(draft, route, 'auth', route.auth);
    if (route.roles.length > 0 && route.auth === 'none') {
      report.at(route, 'roles', 'need an identity, expected auth: jwt or api_key on the route');
    }
  }
  if (auth.jwt) checkJwt(draft, auth.jwt);
  if (auth.jwt) checkForward(draft, auth.jwt.forward);
  if (auth.api_keys) checkApiKeys(draft, auth.api_keys);
  if (auth.api_keys) checkKeyHeader(draft, auth.api_keys);
}

function checkPolicy({ document, report }: Draft, owner: object, key: string, policy: AuthPolicy): void {
  if (takes(policy, 'jwt') && !document.auth.jwt) {
    report.at(owner, key, 'asks for a token that cannot be verified, expected auth.jwt in the document');
  }
  if (takes(policy, 'api_key') && !document.auth.api_keys) {
    report.at(owner, key, 'asks for a key that cannot be verified, expected auth.api_keys in the document');
  }
}

function checkJwt({ report }: Draft, jwt: JwtConfig): void {
  if (report.damaged.has(jwt)) return;
  const shared = jwt.algorithms.filter((name) => name.startsWith('HS'));
  if (shared.length > 0 && shared.length < jwt.algorithms.length) {
    report.at(
      jwt,
      'algorithms',
      'mix HS with others, expected one kind: a public key must never serve as a secret',
    );
    return;
  }
  const sources = (['secret', 'public_key_file', 'jwks_uri'] as const).filter((key) => jwt[key] !== null);
  for (const key of sources) {
    if ((key === 'secret') === shared.length > 0) continue;
    report.at(
      jwt,
      key,
      `does not fit ${jwt.algorithms.join(', ')}, expected ${shared.length > 0 ? 'secret' : 'a public key, or algorithms: [HS256] for a secret'}`,
    );
  }
  if (shared.length > 0 && jwt.secret === null) {
    report.at(jwt, 'secret', 'is missing, expected one for HS algorithms');
  }
  checkPublicKey(jwt, sources, report);
}

type Reporter = Draft['report'];

function checkPublicKey(jwt: JwtConfig, sources: readonly string[], report: Reporter): void {
  if (jwt.algorithms.some((name) => name.startsWith('HS'))) return;
  if (sources.includes('public_key_file') && sources.includes('jwks_uri')) {
    report.at(jwt, 'jwks_uri', 'stands beside public_key_file, expected one of the two');
  }
  if (sources.length === 0 && jwt.issuer === null) {
    report.at(jwt, undefined, 'has no key, expected public_key_file, jwks_uri or issuer');
  }
  if (sources.length === 0 && jwt.issuer !== null && urlFault(jwt.issuer, ['https', 'http']) !== undefined) {
    report.at(jwt, 'issuer', 'is no url, expected one to discover the keys at');
  }
  if (jwt.public_key_file !== null) checkKeyFile(jwt, jwt.public_key_file, report);
}

function checkKeyFile(jwt: JwtConfig, file: string, report: Reporter): void {
  const type = keyTypeIn(file);
  if (type === undefined) {
    report.at(jwt, 'public_key_file', 'holds no public key, expected PEM');
    return;
  }
  const misfits = jwt.algorithms.filter((name) => !fitsAlgorithm(type, name));
  if (misfits.length > 0) {
    report.at(jwt, 'public_key_file', `holds a key of type ${type}, expected one for ${misfits.join(', ')}`);
  }
}

function keyTypeIn(file: string): string | undefined {
  try {
    return keyType(createPublicKey(readFileSync(file)));
  } catch {
    return undefined;
  }
}

/** Clients could send no keys there, or the key would be taken for something else. */
function checkKeyHeader(draft: Draft, keys: ApiKeysConfig): void {
  const name = keys.header.toLowerCase();
  const identity = Object.values(draft.document.auth.jwt?.forward ?? {});
  const taken = TAKEN.has(name) || identity.some((header) => header.toLowerCase() === name);
  if (!taken && !isOwnHeader(draft, name)) return;
  draft.report.at(
    keys,
    'header',
    `${shown(keys, 'header')} has a meaning of its own, expected another header`,
  );
}

/** Of these the gateway or the upstream reads something else. */
const TAKEN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'cache-control',
  'content-encoding',
  'content-type',
  'cookie',
  'date',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'origin',
  'pragma',
  'range',
  'traceparent',
  'tracestate',
  'user-agent',
  'via',
]);

function checkApiKeys({ report }: Draft, { keys }: ApiKeysConfig): void {
  const ids = new Set<string>();
  const holders = new Map<string, string>();
  for (const key of keys) {
    if (ids.has(key.id)) report.at(key, 'id', `${shown(key, 'id')} stands twice, expected different ids`);
    ids.add(key.id);
    if (report.damaged.has(key)) continue;
    if ((key.hash === null) === (key.key === null)) {
      report.at(key, undefined, 'has none of hash and key or both, expected one of them');
      continue;
    }
    const digest = digestOf(key);
    const holder = holders.get(digest);
    if (holder === undefined) holders.set(digest, key.id);
    else report.at(key, undefined, `is the same key as that of ${holder}, expected another one`);
  }
}

function digestOf(config: ApiKeyConfig): string {
  return config.hash === null ? `sha256:${hash('sha256', config.key!)}` : config.hash.toLowerCase();
}
