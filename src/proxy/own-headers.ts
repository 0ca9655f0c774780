const PROXY = 'X-Gateway-Proxy';
const GATEWAY = 'nexus-gateway';
const ID = 'X-Request-Id';

/** What the gateway says itself in every answer, in lower case; an upstream's copies of it are dropped. */
export const OWN_HEADERS: ReadonlySet<string> = new Set([PROXY.toLowerCase(), ID.toLowerCase()]);

/** @param lines name, value, name, value, … */
export function addOwnHeaders(lines: string[], requestId: string): void {
  lines.push(PROXY, GATEWAY, ID, requestId);
}

export function ownHeaders(requestId: string): Record<string, string> {
  return { [PROXY]: GATEWAY, [ID]: requestId };
}
