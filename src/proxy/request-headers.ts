import { withoutCookie } from '../common/cookies.js';
import type { RemovedNames } from './removed-names.js';
import { VERSION } from '../common/version.js';
import { clientCertificateOf } from '../exchange/client-certificate.js';
import type { Exchange } from '../exchange/exchange.js';
import type { ClientConnection } from './client-connection.js';
import { connectionNamed, HOP_BY_HOP } from './hop-by-hop.js';
import { isPeerClaim, Told } from './peer-claims.js';
import type { ScannedHead } from './request-head.js';

/** How a route's requests are presented to its upstream. */
export interface OutgoingRules {
  /** Names that only the gateway may set: clients' own are dropped. */
  readonly removed: RemovedNames;
  /** Lower case. */
  readonly requestIdHeader: string;
}

/** Client's copies that the gateway replaces, and framing that the next hop gets anew. */
const REPLACED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'trailer',
  'x-gateway-version',
  'x-real-ip',
  'x-request-id',
]);
const FORWARDED: ReadonlySet<string> = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
]);
const GATEWAY_VERSION = `nexus-gateway/${VERSION}`;

/**
 * Value of Host towards the upstream; null = the backend's own, also for clients without one (HTTP/1.0).
 * @param rule `backend`, `preserve`, or a literal
 */
export function hostHeader(exchange: Exchange, head: ScannedHead, rule: string): string | null {
  if (rule === 'backend') return null;
  return (rule === 'preserve' ? hostOf(exchange, head) : rule) || null;
}

/**
 * The header lines of the request to the upstream: end-to-end ones with their bytes, order and repetition kept,
 * `Cookie` lines joined (RFC 9113 §8.2.3), then the gateway's own, which nothing that the client says can remove.
 */
export function outgoingLines(
  exchange: Exchange,
  head: ScannedHead,
  client: ClientConnection,
  rules: OutgoingRules,
): string[] {
  const out: string[] = [];
  const told = exchange.peerTrusted ? new Told() : null;
  const cookie = upstreamCookie(copyEndToEnd(head, rules, told, out), exchange);
  if (cookie !== null) out.push('Cookie', cookie);
  if (exchange.upstreamHeaders !== null) out.push(...exchange.upstreamHeaders);
  if (client.certified) pushCertificate(client, out);
  out.push('X-Forwarded-For', forwardedFor(exchange, told, client));
  out.push('X-Forwarded-Proto', told?.proto ?? (client.secure ? 'https' : 'http'));
  out.push('X-Forwarded-Host', told?.host ?? hostOf(exchange, head));
  out.push('X-Forwarded-Port', told?.port ?? client.localPort);
  out.push('X-Real-IP', exchange.clientIp, 'X-Request-Id', exchange.id, 'X-Gateway-Version', GATEWAY_VERSION);
  return out;
}

function pushCertificate({ socket }: ClientConnection, out: string[]): void {
  const certificate = clientCertificateOf(socket);
  if (certificate === null) return;
  out.push('X-Client-Cert-Subject', certificate.encodedSubject);
  out.push('X-Client-Cert-Fingerprint', certificate.fingerprint);
}

/** The authority of an absolute target is the request's host, whatever Host says (RFC 9112 §3.2.2). */
function hostOf(exchange: Exchange, head: ScannedHead): string {
  return exchange.target?.authority ?? head.host;
}

/** The chain as the peer told it, or the client that it named in `Forwarded` alone; then the peer itself. */
function forwardedFor(exchange: Exchange, told: Told | null, { address }: ClientConnection): string {
  const chain = told?.for || (exchange.clientIp === address ? null : exchange.clientIp);
  return chain === null ? address : `${chain}, ${address}`;
}

/** The cookie by which the gateway knows a client's backend is between the two of them. */
function upstreamCookie(cookie: string | null, { upstream }: Exchange): string | null {
  const own = upstream?.ownCookie ?? null;
  return cookie === null || own === null ? cookie : withoutCookie(cookie, own);
}

/** Copies what passes; returns the joined cookies. */
function copyEndToEnd(
  head: ScannedHead,
  rules: OutgoingRules,
  told: Told | null,
  out: string[],
): string | null {
  const raw = head.rawHeaders;
  const named = connectionNamed(head.connection);
  let cookie: string | null = null;
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    const lower = name.toLowerCase();
    const value = raw[at + 1]!;
    if (FORWARDED.has(lower)) told?.take(lower, value);
    else if (lower === 'te') passTrailersWish(value, out);
    else if (REPLACED.has(lower) || lower === rules.requestIdHeader || named?.has(lower)) continue;
    else if (isPeerClaim(lower, told !== null) || rules.removed.has(lower)) continue;
    else if (lower === 'cookie') cookie = cookie === null ? value : `${cookie}; ${value}`;
    else out.push(name, value);
  }
  return cookie;
}

/** `TE` is hop-by-hop, but the gateway does pass trailers on, so it may say so itself (RFC 9110 §10.1.4). */
function passTrailersWish(value: string, out: string[]): void {
  if (/(?:^|,)\s*trailers\s*(?:,|$)/i.test(value)) out.push('TE', 'trailers');
}
