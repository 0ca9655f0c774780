import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import {
  closeAtEnd,
  type RawConnection,
  type RawUpstream,
  rawUpstream,
  startTestGateway,
} from '../support/index.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/**
 * An upstream whose first connection answers once and is gone as soon as the second request reaches it: what the
 * gateway sees when an idle connection is closed exactly as it is used again.
 */
async function racing(how: (connection: RawConnection) => void, later = OK) {
  const upstream = await rawUpstream(async (connection) => {
    for (let index = 0; ; index++) {
      await connection.until(() => connection.requests[index], 'a request', { timeoutMs: 20_000 });
      if (connection.index === 0 && index === 1) return how(connection);
      if (connection.index > 0 && later === '') return how(connection);
      await connection.write(OK);
    }
  });
  const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
  closeAtEnd(() => expect(upstream.failures).toEqual([]));
  expect((await gateway.get('/first')).status).toBe(200);
  return { upstream, gateway };
}

function deliveries(upstream: RawUpstream, target: string): number {
  return upstream.requests.filter((request) => request.target === target).length;
}

describe.each([
  ['reset', (connection: RawConnection) => connection.reset()],
  ['ended', (connection: RawConnection) => connection.destroy()],
] as const)('an idle connection that the upstream has %s when it is used again', (_, how) => {
  it.each(['GET', 'OPTIONS', 'PUT', 'DELETE'])(
    '%s goes out once more on a new socket, unseen',
    async (method) => {
      const { upstream, gateway } = await racing(how);
      expect((await gateway.request('/second', { method })).status).toBe(200);
      expect(upstream.connections).toHaveLength(2);
      expect(deliveries(upstream, '/second')).toBe(2);
      const line = await gateway.logged('request completed', { path: '/second' });
      expect(line).toMatchObject({ status: 200, reason: null, attempts: 2 });
      expect(gateway.logsWith('upstream request failed')).toHaveLength(0);
      await untilAtRest(gateway);
    },
  );

  it.each(['POST', 'PATCH'])('%s is never delivered twice: 502', async (method) => {
    for (const body of ['', 'a body']) {
      const { upstream, gateway } = await racing(how);
      const response = await gateway.request('/second', { method, body });
      expect(response.status).toBe(502);
      expect(deliveries(upstream, '/second')).toBe(1);
      await gateway.logged('request completed', { status: 502, reason: 'upstream_unavailable', attempts: 1 });
      await untilAtRest(gateway);
    }
  });

  it('a body whose beginning has left is not sent again, whatever the method', async () => {
    const { upstream, gateway } = await racing(how);
    expect((await gateway.request('/second', { method: 'PUT', body: 'a body' })).status).toBe(502);
    expect(deliveries(upstream, '/second')).toBe(1);
  });

  it('one further try and no more', async () => {
    const { upstream, gateway } = await racing(how, '');
    expect((await gateway.get('/second')).status).toBe(502);
    expect(deliveries(upstream, '/second')).toBe(2);
    await gateway.logged('upstream request failed', { attempt: 2 });
    expect(gateway.logsWith('upstream request failed')).toHaveLength(1);
  });
});

it('tries nothing again once a byte of an answer was seen', async () => {
  const { upstream, gateway } = await racing((connection) => {
    connection.socket.write('HTTP/1.1 2', () => setTimeout(() => connection.reset(), 60));
  });
  expect((await gateway.get('/second')).status).toBe(502);
  expect(deliveries(upstream, '/second')).toBe(1);
});

it('tries nothing again on a new connection', async () => {
  const upstream = await rawUpstream(async (connection) => {
    await connection.request();
    connection.reset();
  });
  const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
  expect((await gateway.get('/a')).status).toBe(502);
  expect(upstream.requests).toHaveLength(1);
});

it('opens a new connection when the upstream closed the idle ones in peace', async () => {
  const { upstream, gateway } = await racing((connection) => connection.destroy());
  upstream.connections[0]!.end();
  await upstream.connections[0]!.untilClosed();
  expect((await gateway.request('/second', { method: 'POST', body: 'x' })).status).toBe(200);
  expect(deliveries(upstream, '/second')).toBe(1);
  await gateway.logged('request completed', { path: '/second', attempts: 1 });
});
