import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { StickyConfig } from '../../config/upstream.config.js';
import { Exchange } from '../../exchange/exchange.js';
import type { Backend } from '../../exchange/upstream.js';
import { compileSticky, type Sticky } from './sticky.js';

const SECRET = Buffer.alloc(32, 7);
const BACKENDS = ['http://10.0.0.1:8081', 'http://10.0.0.2:8082'].map((id) => ({ id, weight: 1 }) as Backend);
const [A, B] = BACKENDS as [Backend, Backend];

interface Asked {
  readonly cookies?: readonly string[];
  readonly proto?: string;
  readonly trusted?: boolean;
  readonly tls?: boolean;
}

function exchangeWith({ cookies = [], proto, trusted = false, tls = false }: Asked = {}): Exchange {
  const rawHeaders = ['Host', 'h', ...cookies.flatMap((line) => ['Cookie', line])];
  const exchange = new Exchange('id', 0, { rawHeaders } as unknown as Exchange['head']);
  const socket = tls ? { encrypted: true } : {};
  const headers = proto === undefined ? {} : { 'x-forwarded-proto': proto };
  exchange.raw = { socket, headers } as unknown as Exchange['raw'];
  exchange.peerTrusted = trusted;
  return exchange;
}

/** One upstream's ties at moments that the test sets, in seconds. */
function stage(config: Partial<StickyConfig> = {}, name = 'u', backends = BACKENDS) {
  const time = { s: 1_000_000 };
  const clock = { now: () => 0, wall: () => time.s * 1_000 };
  const sticky = compileSticky(name, Object.assign(new StickyConfig(), config), backends, {
    clock,
    secret: SECRET,
  })!;
  return { sticky, time };
}

/** The `Set-Cookie` line of an answer of this backend, if there is one. */
function answered(sticky: Sticky, backend: Backend, asked: Asked = {}): string | null {
  const exchange = exchangeWith(asked);
  sticky.backendOf(exchange);
  sticky.answering(exchange, backend);
  expect(exchange.responseHeaders.length).toBeLessThanOrEqual(2);
  const [name, line] = exchange.responseHeaders;
  if (name === undefined) return null;
  expect(name).toBe('Set-Cookie');
  return line!;
}

/** What a browser sends for it. */
const sent = (line: string | null): string => line!.split(';')[0]!;
const tie = (sticky: Sticky, ...cookies: string[]): Backend | null =>
  sticky.backendOf(exchangeWith({ cookies }));

/** A well-formed entry of another upstream that ends then. */
function foreign(at: number, expiresAt: number): string {
  return [String(at).padStart(8, 'u'), 'b'.repeat(22), expiresAt.toString(36), 's'.repeat(43)].join('.');
}

describe('a sticky upstream', () => {
  it('is nothing when it is off', () => {
    expect(
      compileSticky('u', null, BACKENDS, { clock: { now: () => 0, wall: () => 0 }, secret: SECRET }),
    ).toBe(null);
  });

  it('ties a client to the backend that answers it', () => {
    const { sticky } = stage();
    expect(tie(sticky)).toBe(null);
    const line = answered(sticky, B);
    expect(line).toMatch(
      /^nexus_affinity=[\w-]{8}\.[\w-]{22}\.[0-9a-z]+\.[\w-]{43}; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(tie(sticky, sent(line))).toBe(B);
    expect(tie(sticky, 'x=1', `y=2; ${sent(line)}; z=3`)).toBe(B);
    expect(answered(sticky, B, { cookies: [sent(line)] })).toBe(null);
    expect(sent(answered(sticky, A, { cookies: [sent(line)] }))).not.toBe(sent(line));
  });

  it('gives away no name of a backend or upstream, also to who can guess it', () => {
    const line = answered(stage({}, 'secret-upstream').sticky, A)!;
    const plain = Buffer.from(line.split(/[=.]/)[2]!, 'base64url').toString('latin1');
    expect(line + plain).not.toMatch(/10\.0|8081|secret-upstream/);
    expect(sent(answered(stage({ secret: 'another' }).sticky, A))).not.toContain(line.split('.')[1]!);
  });

  it('keeps the name and the ttl it is told', () => {
    const line = answered(stage({ cookie: 'at', ttl: '90s' }).sticky, A);
    expect(line).toMatch(/^at=.*; Max-Age=90;/);
    expect(answered(stage({ ttl: '1500ms' }).sticky, A)).toMatch(/; Max-Age=2;/);
  });

  it('renews a tie in its last half, and believes none after its end', () => {
    const { sticky, time } = stage({ ttl: '100s' });
    const first = sent(answered(sticky, A));
    time.s += 50;
    expect(answered(sticky, A, { cookies: [first] })).toBe(null);
    time.s += 1;
    const second = sent(answered(sticky, A, { cookies: [first] }));
    expect(tie(sticky, first)).toBe(A);
    time.s += 49;
    expect([tie(sticky, first), tie(sticky, second)]).toEqual([null, A]);
  });

  it('replaces a tie that lasts longer than a new ttl', () => {
    const long = stage({ ttl: '24h' }).sticky;
    const short = stage({ ttl: '1m' }).sticky;
    const old = sent(answered(long, A));
    expect(tie(short, old)).toBe(A);
    expect(answered(short, A, { cookies: [old] })).toMatch(/Max-Age=60;/);
  });

  it('believes nothing that it did not sign', () => {
    const { sticky } = stage();
    const good = sent(answered(sticky, A)).slice('nexus_affinity='.length);
    const [upstream, backend, expiry, mac] = good.split('.') as [string, string, string, string];
    const other = sent(answered(sticky, B)).split('.')[1]!;
    const later = (Number.parseInt(expiry, 36) + 1).toString(36);
    const forged = [
      [upstream, other, expiry, mac],
      [upstream, backend, later, mac],
      [upstream, backend, expiry, mac.replace(/^./, (char) => (char === 'A' ? 'B' : 'A'))],
      [upstream, backend, expiry, mac.slice(1)],
      [upstream, backend, expiry, `${mac}A`],
      [upstream, backend, expiry, ''],
      [upstream, backend, mac],
      [upstream, backend, expiry.toUpperCase(), mac],
      [upstream, backend, '-1', mac],
    ].map((parts) => parts.join('.'));
    for (const value of [...forged, '', '~', '....', 'x'.repeat(8_000), '~'.repeat(8_000)]) {
      expect([value, tie(sticky, `nexus_affinity=${value}`)]).toEqual([value, null]);
      const fresh = answered(sticky, A, { cookies: [`nexus_affinity=${value}`] });
      expect(tie(sticky, sent(fresh))).toBe(A);
    }
    expect(tie(sticky, `nexus_affinity=${good}`)).toBe(A);
  });

  it('believes none of another secret, another upstream, another process', () => {
    const line = sent(answered(stage({ secret: 'one' }).sticky, A));
    expect(tie(stage({ secret: 'one' }).sticky, line)).toBe(A);
    expect(tie(stage({ secret: 'two' }).sticky, line)).toBe(null);
    expect(tie(stage({ secret: 'one' }, 'v').sticky, line)).toBe(null);
    expect(tie(stage().sticky, line)).toBe(null);
  });

  it('knows a backend by its id, and not one that is removed or has weight 0', () => {
    const line = sent(answered(stage().sticky, A));
    expect(tie(stage({}, 'u', [B]).sticky, line)).toBe(null);
    expect(tie(stage({}, 'u', [B, { id: A.id, weight: 0 } as Backend]).sticky, line)).toBe(null);
    const moved = { id: A.id, weight: 3, url: 'http://elsewhere' } as Backend;
    expect(tie(stage({}, 'u', [B, moved]).sticky, line)).toBe(moved);
  });

  it('shares the cookie with other upstreams of the same name, each keeping its own tie', () => {
    const [u, v] = [stage().sticky, stage({ ttl: '10m' }, 'v').sticky];
    const first = sent(answered(u, A));
    const line = answered(v, B, { cookies: [first] });
    expect(line).toContain('Max-Age=3600;');
    const both = sent(line);
    expect([tie(u, both), tie(v, both)]).toEqual([A, B]);
    expect(answered(u, A, { cookies: [both] })).toBe(null);
    const moved = sent(answered(u, B, { cookies: [both] }));
    expect([tie(u, moved), tie(v, moved)]).toEqual([B, B]);
  });

  it('lets the cookie grow no longer than eight entries, without those that are over', () => {
    const stages = Array.from({ length: 12 }, (_, at) => stage({ ttl: at < 2 ? '1s' : '1h' }, `u${at}`));
    let cookie = '';
    for (const { sticky, time } of stages) {
      time.s += 2 * stages.findIndex((other) => other.sticky === sticky);
      cookie = sent(answered(sticky, A, { cookies: [cookie] }));
    }
    expect(cookie.split('~')).toHaveLength(8);
    expect(stages.map(({ sticky }) => tie(sticky, cookie)?.id ?? '').filter(Boolean)).toHaveLength(8);
    expect(cookie.length).toBeLessThan(800);
  });

  it('finds its own entry behind any number of others', () => {
    const { sticky } = stage();
    const own = sent(answered(sticky, A)).slice('nexus_affinity='.length);
    const others = Array.from({ length: 12 }, (_, at) => foreign(at, 1_000_060));
    const line = `nexus_affinity=${[...others, own].join('~')}`;
    expect(tie(sticky, line)).toBe(A);
    expect(answered(sticky, A, { cookies: [line] })).toBe(null);
  });

  it('keeps of another upstream the entry that is read, once', () => {
    const { sticky } = stage();
    const twice = [foreign(1, 1_000_060), foreign(1, 1_000_070), foreign(2, 1_000_060)];
    const line = answered(sticky, A, { cookies: [`nexus_affinity=${twice.join('~')}`] });
    expect(sent(line).split('~').slice(1)).toEqual([twice[0], twice[2]]);
  });

  const anyEntry = fc.oneof(
    fc.tuple(fc.nat(20), fc.integer({ min: 999_000, max: 36 ** 9 - 1 })).map(([at, end]) => foreign(at, end)),
    fc.string(),
  );

  it('lets nothing that it cannot check decide what becomes of its own entry', () => {
    const holds = (entries: readonly string[], at: number): void => {
      const { sticky, time } = stage({ ttl: '100s' });
      const own = sent(answered(sticky, A)).slice('nexus_affinity='.length);
      const clean = entries.map((text) => text.replaceAll(/[~;]/g, ''));
      clean.splice(at, 0, own);
      const cookie = `nexus_affinity=${clean.join('~')}`;
      expect(tie(sticky, cookie)).toBe(A);
      time.s += 60;
      const line = answered(sticky, A, { cookies: [cookie] })!;
      const age = Number(/; Max-Age=(\d+);/.exec(line)![1]);
      expect(age).toBeGreaterThanOrEqual(100);
      expect(age).toBeLessThanOrEqual(30 * 24 * 3_600);
      expect(sent(line).split('~').length).toBeLessThanOrEqual(8);
      expect(line.length).toBeLessThan(900);
      time.s += 99;
      expect(tie(sticky, sent(line))).toBe(A);
    };
    fc.assert(fc.property(fc.array(anyEntry, { maxLength: 40 }), fc.nat(40), holds));
  });

  it.each(['__Host-at', '__Secure-at', '__host-at'])(
    'marks a cookie named %s Secure for everybody',
    (cookie) => {
      const line = answered(stage({ cookie }).sticky, A)!;
      expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      expect(line).not.toContain('Domain');
    },
  );

  it.each<[string, Asked, boolean]>([
    ['over plain http', {}, false],
    ['over TLS', { tls: true }, true],
    ['over TLS to a trusted proxy', { trusted: true, proto: 'https' }, true],
    ['over TLS to a trusted proxy of WebSockets', { trusted: true, proto: 'WSS' }, true],
    ['over http to a trusted proxy that speaks TLS', { trusted: true, proto: 'http', tls: true }, false],
    ['and says it came over TLS', { proto: 'https' }, false],
    ['by a proxy that says nonsense', { trusted: true, proto: 'nottps' }, false],
  ])('marks the cookie Secure for a client that comes %s: %j', (_, asked, secure) => {
    expect(answered(stage().sticky, A, asked)!.endsWith('; Secure')).toBe(secure);
  });
});
