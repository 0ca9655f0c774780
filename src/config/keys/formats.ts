import { accessSync, constants, statSync } from 'node:fs';
import { METHODS } from 'node:http';
import { isIP } from 'node:net';

import { isFQDN } from 'class-validator';

import { isCidr } from '../../common/cidr.js';
import { errorCode } from '../references.js';
import { regexFault } from '../regex-safety.js';
import { parseRoutePath } from '../route-path.js';
import { either } from './composites.js';
import type { ScalarKind, UnionKind } from './kind.js';
import { integer, textLike, textOf } from './scalars.js';

// RFC 9110 §5.6.2
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const LABELS = /^[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*$/;
const UNSAFE_TEXT = /[\s\p{Cc}]/u;

/** The name of a route, upstream or other thing of the document. */
export const identifier = (): ScalarKind =>
  textLike(/^[a-z0-9._-]{1,128}$/, 'lower-case letters, digits, - _ and . (at most 128)');
export const upstreamName = (): ScalarKind =>
  textLike(/^[A-Za-z0-9._-]{1,128}$/, 'letters, digits, - _ and . (at most 128)');

export const headerName = (): ScalarKind => textLike(TOKEN, 'the name of a header (RFC 9110 token)');

/** RFC 9110 §5.5: no control characters but the tab. */
export const headerValue = (): ScalarKind =>
  textOf('a text without control characters', (value) =>
    /[^\P{Cc}\t]/u.test(value) ? 'holds a control character' : undefined,
  );

/** A request method that a client of the gateway can use. */
export function method(): ScalarKind {
  const known = METHODS.filter((name) => name !== 'CONNECT');
  return {
    ...textOf('a method such as GET, POST or DELETE', (value) =>
      known.includes(value) ? undefined : 'is no method',
    ),
    schema: { enum: known },
    hint: (value) => {
      const upper = typeof value === 'string' ? value.toUpperCase() : '';
      return upper !== value && known.includes(upper) ? `write ${upper}` : undefined;
    },
  };
}

/** A single address or a CIDR range. */
export function network(): ScalarKind {
  return textOf('an address range such as 10.0.0.0/8 or ::1/128', (value) => {
    if (isCidr(value)) return undefined;
    const [address = '', ...prefix] = value.split('/');
    return isCidr(address) && prefix.length === 1 ? 'has a bad prefix length' : 'is no address range';
  });
}

/** An address or host name to listen on. */
export const listenHost = (): ScalarKind =>
  textOf('an address or host name', (value) =>
    isIP(value) !== 0 || LABELS.test(value) ? undefined : 'is no address and no host name',
  );

/** A host that requests are for: exact, or `*.` and a domain. No port. */
export const hostPattern = (): ScalarKind =>
  textOf('a host such as api.example.com or *.example.com, without port', (value) => {
    const host = value.startsWith('*.') ? value.slice(2) : value;
    const address = /^\[(.*)\]$/.exec(value)?.[1];
    if (address !== undefined) return isIP(address) === 6 ? undefined : 'is no address';
    return LABELS.test(host) ? undefined : 'is no host';
  });

/** A Host header: host and perhaps a port. */
export const hostHeader = (expected = 'a host, with a port if need be'): ScalarKind =>
  textOf(expected, (value) => {
    const parts = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(value);
    if (!parts) return 'is no host';
    const [, host = '', port] = parts;
    const bare = host.replace(/^\[|\]$/g, '');
    if (isIP(bare) === 0 && !LABELS.test(bare) && !isFQDN(bare)) return 'is no host';
    return port === undefined || Number(port) <= 65_535 ? undefined : 'has a bad port';
  });

/** Faults of an absolute url with one of the schemes; RFC 3986 fragments and credentials never belong there. */
export function urlFault(value: string, schemes: readonly string[]): string | undefined {
  if (UNSAFE_TEXT.test(value)) return 'holds white space';
  if (!schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}://`))) {
    return `is not an absolute ${schemes.join(' or ')} url`;
  }
  if (!URL.canParse(value)) return 'is no url';
  const url = new URL(value);
  if (url.hostname === '') return 'names no host';
  if (url.port === '0') return 'has a bad port';
  if (value.includes('#')) return 'has a fragment';
  return undefined;
}

/** A DNS server: an address, with a port where it is not 53. */
export const dnsServer = (): ScalarKind =>
  textOf('an address such as 10.0.0.2, 10.0.0.2:5353 or [::1]:5353', (value) => {
    // An address itself, and one with a port behind it: nobody can tell which was meant.
    const [, shorter = '', last] = /^(.*:.*):(\d{1,5})$/.exec(value) ?? [];
    if (isIP(shorter) === 6) return `may end with a port, expected [${shorter}]:${last} or [${value}]`;
    const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(value);
    const address = parts === null ? value : (parts[1] ?? parts[2] ?? '');
    if (isIP(address) === 0) return 'is no address';
    const port = Number(parts?.[3] ?? 53);
    return port > 0 && port <= 65_535 ? undefined : 'has a bad port';
  });

/** The url of a backend: absolute, with at most a base path. */
export const backendUrl = (): ScalarKind =>
  textOf('an http or https url such as http://localhost:8081, with at most a base path', (value) => {
    const fault = urlFault(value, ['http', 'https']);
    if (fault !== undefined) return fault;
    const url = new URL(value);
    if (url.username !== '' || url.password !== '' || value.includes('@')) return 'holds credentials';
    if (value.includes('?')) return 'has a query';
    if (value.includes('\\')) return 'holds a backslash';
    return /\/(\.|%2e){1,2}(\/|$)/i.test(value) ? 'holds a . or .. segment' : undefined;
  });

/** A url of the given schemes, credentials and query allowed. */
export const url = (...schemes: readonly string[]): ScalarKind =>
  textOf(`an absolute ${schemes.join(' or ')} url`, (value) => urlFault(value, schemes));

/** The path of a route. */
export const routePath = (): ScalarKind =>
  textOf(
    'a path such as /api/users or /api/users/{id}',
    (value) => {
      try {
        parseRoutePath(value);
        return undefined;
      } catch (error) {
        if (error instanceof RangeError) return error.message;
        throw error;
      }
    },
    { pattern: '^/' },
  );

/** A path to ask for, with a query if need be. */
export const requestPath = (): ScalarKind =>
  textOf(
    'a path such as /health',
    (value) => {
      if (!value.startsWith('/')) return 'does not begin with /';
      return UNSAFE_TEXT.test(value) || value.includes('#') ? 'holds white space or #' : undefined;
    },
    { pattern: '^/' },
  );

/** A regular expression that compiles and cannot take exponential time. */
export const regex = (): ScalarKind => textOf('a regular expression that takes bounded time', regexFault);

/** A literal value, or a regular expression between slashes. */
export const condition = (): ScalarKind =>
  textOf('a value, or /regex/ that takes bounded time', (value) => {
    const source = /^\/([^]*)\/$/.exec(value)?.[1];
    return source === undefined ? undefined : regexFault(source);
  });

/** A status, or a range of them, from `min` on. */
export function statuses(min = 100): UnionKind {
  const range = textOf('a range such as 200-399', (value) => {
    const [, from, to] = /^(\d{3})-(\d{3})$/.exec(value) ?? [];
    if (from === undefined || to === undefined) return 'is not a range of statuses';
    return Number(from) >= min && Number(to) <= 599 && from <= to ? undefined : 'is out of range';
  });
  const digit = `[${Math.floor(min / 100)}-5]`;
  const pattern = `^${digit}\\d\\d-${digit}\\d\\d$`;
  return either(status(min), { ...range, schema: { type: 'string', pattern } });
}

export const status = (min = 100): ScalarKind => integer({ min, max: 599 });

/** The first status that ends an exchange (RFC 9110 §15.2): in front of it are interim ones, which are passed on. */
export const FINAL = 200;

/** A share such as 20%. */
export const percentage = (): ScalarKind => textLike(/^(100|\d{1,2})%$/, 'a share from 0% to 100%');

/** A file that can be read now; relative paths lie beside the document. */
export const readableFile = (): ScalarKind => ({
  ...textOf('a readable file', (value) => {
    try {
      accessSync(value, constants.R_OK);
      return statSync(value).isFile() ? undefined : 'is not a file';
    } catch (error) {
      return `cannot be read (${errorCode(error)})`;
    }
  }),
  path: true,
});

/** A file that the gateway writes; relative paths lie beside the document. */
export const writtenFile = (): ScalarKind => ({
  ...textOf('the path of a file', (value) => (value === '' ? 'is an empty text' : undefined)),
  path: true,
});
