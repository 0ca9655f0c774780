const X = 'x'.charCodeAt(0);
const DASH = '-'.charCodeAt(0);
const UNDERSCORE = '_'.charCodeAt(0);

/** What the gateway says itself of the client and of the request, never a client for it. */
const OWN: ReadonlySet<string> = new Set([
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-gateway-version',
  'x-real-ip',
  'x-request-id',
]);

/** Another target than the request's own, by which some frameworks go: it would pass by what this route's guards saw. */
const OTHER_TARGETS: ReadonlySet<string> = new Set(['x-original-url', 'x-rewrite-url']);

/**
 * Whether a header says what only the gateway, or a trusted proxy in front, may say: any `X-Forwarded…`, also those
 * that the gateway itself knows nothing of (`X-Forwarded-Prefix`), another target (`X-Original-URL`), and what speaks of a client's certificate. `_` counts
 * as `-`: many an upstream (CGI, WSGI, PHP) makes one variable of the two. A trusted peer's own pass, but
 * for a second spelling of what the gateway sends.
 */
export function isPeerClaim(lowerCaseName: string, trusted: boolean): boolean {
  if (lowerCaseName.charCodeAt(0) !== X) return false;
  const second = lowerCaseName.charCodeAt(1);
  if (second !== DASH && second !== UNDERSCORE) return false;
  const name = lowerCaseName.includes('_') ? lowerCaseName.replaceAll('_', '-') : lowerCaseName;
  if (OWN.has(name) || name.startsWith('x-client-cert-')) return true;
  if (trusted) return false;
  return name === 'x-forwarded' || name.startsWith('x-forwarded-') || OTHER_TARGETS.has(name);
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/;
const PORT = /^[1-9]\d{0,4}$/;

/** What a trusted proxy in front says of the client. What has another shape than its header's is not taken over. */
export class Told {
  for: string | null = null;
  proto: string | null = null;
  host: string | null = null;
  port: string | null = null;

  take(name: string, value: string): void {
    if (name === 'x-forwarded-for') this.for = this.for === null ? value : `${this.for}, ${value}`;
    else if (name === 'x-forwarded-proto') this.proto = isScheme(value) ? value : null;
    else if (name === 'x-forwarded-host') this.host = value.length <= 261 && HOST.test(value) ? value : null;
    else if (name === 'x-forwarded-port') this.port = isPort(value) ? value : null;
  }
}

/** Some proxies name the WebSocket's own schemes. */
function isScheme(value: string): boolean {
  const lower = value.toLowerCase();
  return lower === 'https' || lower === 'http' || lower === 'wss' || lower === 'ws';
}

function isPort(value: string): boolean {
  return PORT.test(value) && Number(value) <= 65_535;
}
