import { createServer as createTlsServer } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { closeAtEnd } from '../../test/support/cleanup.js';
import { echoUpstream } from '../../test/support/echo-upstream.js';
import { freePort, listen, urlOf } from '../../test/support/ports.js';
import { rawUpstream } from '../../test/support/raw-upstream.js';
import { waitFor } from '../../test/support/wait.js';
import { HealthCheckConfig } from '../config/health-check.config.js';
import { ConnectionConfig } from '../config/upstream.config.js';
import { compileConnection } from '../upstream/connection/compile-connection.js';
import { compileHealthCheck } from './health-check.js';

/** Runs one probe as an upstream with this check would. */
function probe(url: string, check: Partial<HealthCheckConfig> = {}, signal = new AbortController().signal) {
  const origin = new URL(url);
  const pool = compileConnection('u', new ConnectionConfig()).openPool(origin, undefined);
  return compileHealthCheck(Object.assign(new HealthCheckConfig(), check)).probe({ origin, pool }, signal);
}

/** For `localhost`, valid until 2126; it protects nothing. */
const SELF_SIGNED_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDW8Y0561Ij6gP6mp
l77X8R+3KmRLpA+f6ok9zML//e6hRANCAARfFjvjej8nn3+6pt2bZ90t53TrIbXi
rfX6kZIDrk8kxvOjB12X+PvZCqPGnKIFkvXojaJ7vLm8iN8RUXd+R+9D
-----END PRIVATE KEY-----`;
const SELF_SIGNED_CERT = `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUbuShjkklRF5VKpucAEYR2piuft4wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDA0MTg1MVoYDzIxMjYxMTA2
MDQxODUxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARfFjvjej8nn3+6pt2bZ90t53TrIbXirfX6kZIDrk8kxvOjB12X+PvZ
CqPGnKIFkvXojaJ7vLm8iN8RUXd+R+9Do2kwZzAdBgNVHQ4EFgQUAed+wgb1R83A
VqLN/a7AJOwptXIwHwYDVR0jBBgwFoAUAed+wgb1R83AVqLN/a7AJOwptXIwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAN4+r8mfjfdoowK3DCaYx7bGGbR4Tv3DROxsNKqtffDgAiArgIkegfPe
QMwQtciGetuUPY8xzwriS5dAl5cKpvMt6Q==
-----END CERTIFICATE-----`;

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';

describe('http probe', () => {
  it('sends one GET for the path, and closes its socket', async () => {
    const target = await rawUpstream([OK]);
    expect(await probe(target.url, { path: '/up?deep=1' })).toBeNull();
    const [request] = target.requests;
    expect(request).toMatchObject({ method: 'GET', target: '/up?deep=1' });
    expect(request!.rawHeaders).toEqual([
      ['host', new URL(target.url).host],
      ['user-agent', expect.stringMatching(/^nexus-gateway\/\d/)],
      ['accept', '*/*'],
      ['Connection', 'close'],
    ]);
    await waitFor(() => target.connections[0]!.closed, 'the socket closes');
  });

  it('sends the Host that was written', async () => {
    const target = await rawUpstream([OK]);
    await probe(target.url, { host: 'users.internal' });
    expect(target.requests[0]!.rawHeaders[0]).toEqual(['host', 'users.internal']);
  });

  it('asks the origin: the base path of the backend plays no part', async () => {
    const target = await rawUpstream([OK]);
    await probe(`${target.url}/base`);
    expect(target.requests[0]!.target).toBe('/health');
  });

  it('reaches an IPv6 literal', async () => {
    const target = await rawUpstream([OK], { host: '::1' });
    expect(await probe(target.url)).toBeNull();
    expect(target.requests[0]!.rawHeaders[0]).toEqual(['host', `[::1]:${target.port}`]);
  });

  it.each([
    [200, 200, null],
    [500, 200, 'unhealthy status: 500'],
    [204, 200, 'unhealthy status: 204'],
    [204, '200-399', null],
    [429, [200, '400-450'], null],
  ] as const)('judges status %i, expecting %j', async (status, expected_status, verdict) => {
    const target = await echoUpstream();
    target.healthStatus = status;
    expect(await probe(target.url, { expected_status } as Partial<HealthCheckConfig>)).toBe(verdict);
  });

  it('does not follow redirects', async () => {
    const target = await rawUpstream([
      'HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n',
    ]);
    expect(await probe(target.url)).toBe('unhealthy status: 302');
    expect(target.requests).toHaveLength(1);
  });

  it('reads past informational answers', async () => {
    const target = await rawUpstream([`HTTP/1.1 103 Early Hints\r\n\r\n${OK}`]);
    expect(await probe(target.url)).toBeNull();
  });

  it('closes an answer that does not end, and judges it by its status', async () => {
    const chunk = Buffer.alloc(16 * 1024, 'x');
    const target = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 200 OK\r\n\r\n');
      while (await connection.write(chunk)) await nextTurn();
    });
    expect(await probe(target.url)).toBeNull();
    await waitFor(() => target.connections[0]!.closed, 'the socket closes');
  });

  it('judges an answer whose body breaks off by its status', async () => {
    const target = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      connection.reset();
    });
    expect(await probe(target.url)).toBeNull();
  });

  it.each([
    ['not HTTP', 'SSH-2.0-OpenSSH\r\n', /Parse Error/],
    ['half a head', 'HTTP/1.1 200 OK\r\nx: ', /socket hang up|Parse Error/],
    ['nothing', '', /socket hang up/],
  ])('fails on %s', async (_, bytes, verdict) => {
    const target = await rawUpstream(async (connection) => {
      await connection.head();
      if (bytes) await connection.write(bytes);
      connection.destroy();
    });
    expect(await probe(target.url)).toMatch(verdict);
  });

  it('says why a connection was refused, for a name of several addresses too', async () => {
    const port = await freePort();
    expect(await probe(urlOf('127.0.0.1', port))).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(await probe(urlOf('localhost', port))).toContain('ECONNREFUSED');
  });

  it('refuses a certificate that nobody vouches for', async () => {
    const server = createTlsServer({ key: SELF_SIGNED_KEY, cert: SELF_SIGNED_CERT }, (_, response) =>
      response.end(),
    );
    closeAtEnd(() => server.close());
    const port = await listen(server);
    expect(await probe(`https://localhost:${port}`)).toMatch(/self-signed certificate/);
  });
});

describe('tcp probe', () => {
  it('passes when the port takes a connection, which it closes', async () => {
    const target = await rawUpstream(() => {});
    expect(await probe(target.url, { type: 'tcp' })).toBeNull();
    await waitFor(() => target.connections[0]?.closed, 'the socket closes');
    expect(target.requests).toEqual([]);
  });

  it('reaches an IPv6 literal', async () => {
    const target = await rawUpstream(() => {}, { host: '::1' });
    expect(await probe(target.url, { type: 'tcp' })).toBeNull();
  });

  it('says why it failed', async () => {
    const port = await freePort();
    expect(await probe(urlOf('127.0.0.1', port), { type: 'tcp' })).toBe(
      `connect ECONNREFUSED 127.0.0.1:${port}`,
    );
  });
});

describe('a probe that is ended', () => {
  it.each(['http', 'tcp'] as const)('%s: tells the reason and leaves no socket', async (type) => {
    const abort = new AbortController();
    const target = await rawUpstream(() => {});
    const verdict = probe(target.url, { type }, abort.signal);
    if (type === 'http') await waitFor(() => target.requests.length, 'the request arrives');
    abort.abort(new Error('enough'));
    expect(await verdict).toBe('enough');
    if (type === 'http') await waitFor(() => target.connections[0]!.closed, 'the socket closes');
  });
});
