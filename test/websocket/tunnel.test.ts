import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { rawUpstream, startTestGateway, type TestGateway, waitFor } from '../support/index.js';
import { dial, handshake, maskedFrame, open, type Peer, SWITCHED, textFrame, wsUpstream } from './support.js';

const route = (backend: object, websocket: object = {}): object => ({
  routes: [{ id: 'ws', path: '/ws', backends: [backend], timeout: '1s', websocket }],
});

/** The gauge of open WebSockets, and what must be back at rest once all have ended. */
async function gauges(gateway: TestGateway): Promise<(number | undefined)[]> {
  return [
    await gateway.metric('gateway_websocket_connections', { path: '/ws' }),
    await gateway.metric('gateway_backend_in_flight'),
    await gateway.metric('gateway_active_requests'),
  ];
}

describe('an open WebSocket', () => {
  it('carries text, binary, pings and large messages both ways', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const peer = await open(gateway);
    const large = randomBytes(1024 * 1024);
    peer.send('grüße');
    peer.send(large);
    peer.send('');
    expect(await peer.message(0)).toBe('grüße');
    expect(Buffer.compare((await peer.message(1)) as Buffer, large)).toBe(0);
    expect(await peer.message(2)).toBe('');
    peer.socket.ping('are you there');
    upstream.peers[0]!.socket.ping('and you');
    await waitFor(() => upstream.peers[0]!.pings.length > 0 && peer.pings.length > 0, 'pings');
    expect([upstream.peers[0]!.pings, peer.pings]).toEqual([['are you there'], ['and you']]);
  });

  it('serves 200 clients at once', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const peers = await Promise.all(Array.from({ length: 200 }, () => open(gateway)));
    expect(await gauges(gateway)).toEqual([200, 200, 200]);
    for (const [index, peer] of peers.entries()) peer.send(`${index}`);
    const echoed = await Promise.all(peers.map((peer) => peer.message()));
    expect(echoed).toEqual(peers.map((_peer, index) => `${index}`));
    for (const { socket } of peers) socket.close();
    await waitFor(() => gateway.logsWith('request completed', { status: 101 }).length === 200, 'all logged');
    expect(await gauges(gateway)).toEqual([0, 0, 0]);
  });

  it('is logged and counted once, at its end', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const peer = await open(gateway, '/ws?token=secret');
    peer.send('x'.repeat(100));
    await peer.message();
    expect(gateway.logsWith('request completed')).toEqual([]);
    expect(await gateway.metric('gateway_requests_total', { path: '/ws' })).toBeUndefined();
    await delay(60);
    peer.socket.close(1000);
    await gateway.logged('request completed');
    await delay(20);
    const lines = gateway.logsWith('request completed', { route: 'ws' });
    expect(lines).toEqual([
      expect.objectContaining({
        method: 'GET',
        path: expect.not.stringContaining('secret'),
        status: 101,
        // The echo and the close frame, each with its header.
        bytes_written: 102 + 4,
        upstream: 'ws',
        backend: upstream.backend.url,
        attempts: 1,
        reason: null,
      }),
    ]);
    expect(lines[0]!['duration_ms']).toBeGreaterThan(60);
    expect(await gateway.metric('gateway_requests_total', { path: '/ws', status: '101' })).toBe(1);
  });

  it('keeps back pressure: a client that does not read holds the upstream', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const frame = Buffer.concat([Buffer.from([0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]), chunk]);
    let sent = 0;
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(SWITCHED);
      for (let round = 0; round < 640; round++) {
        await connection.write(frame);
        sent += frame.length;
      }
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    client.keep = false;
    await client.write(handshake('/ws'));
    client.pause();
    await waitFor(() => sent > 0, 'the first bytes');
    let before = -1;
    while (before !== sent) {
      before = sent;
      await delay(150);
    }
    // 40 MB to send: what the kernel's buffers hold is far less.
    expect(sent).toBeLessThan(20 * 1024 * 1024);
    client.resume();
    await client.until(() => client.bytesReceived > 640 * frame.length, 'all of it', { timeoutMs: 15_000 });
  });

  it('keeps back pressure the other way', async () => {
    const upstream = await rawUpstream(async (connection) => {
      connection.keep = true;
      await connection.head();
      connection.keep = false;
      connection.pause();
      await connection.write(SWITCHED);
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(handshake('/ws'));
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer');
    let handedOver = 0;
    for (let round = 0; round < 640; round++) {
      void client.write(Buffer.alloc(64 * 1024, 1)).then(() => handedOver++);
    }
    let before = -1;
    while (before !== handedOver) {
      before = handedOver;
      await delay(150);
    }
    expect(handedOver).toBeLessThan(320);
    upstream.connections[0]!.resume();
    await waitFor(() => upstream.connections[0]!.bytesReceived > 640 * 64 * 1024, 'all of it', {
      timeoutMs: 15_000,
    });
  });

  it('passes on whatever bytes come: garbage is the other side’s to judge', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(handshake('/ws'));
    await client.until(() => client.text.includes('\r\n\r\n'), 'an answer');
    await client.write('GET / HTTP/1.1\r\nHost: smuggled\r\n\r\n');
    await client.untilEnded();
    // The upstream's close frame, 1002: protocol error.
    expect(client.received.subarray(client.received.indexOf('\r\n\r\n') + 4).toString('hex')).toMatch(
      /^88..03ea/,
    );
    expect(await gateway.logged('request completed')).toMatchObject({ status: 101, reason: null });
    expect(upstream.requests).toHaveLength(1);
    expect((await gateway.get('/health/live')).status).toBe(200);
  });
});

describe('closing', () => {
  it.each([
    ['the client', 4001, 'bye'],
    ['the client', 1000, ''],
    ['the upstream', 4002, 'enough'],
    ['the upstream', 1011, ''],
  ])('by %s carries code %i and reason %j to the other side', async (side, code, reason) => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await open(gateway);
    const server = await waitFor(() => upstream.peers[0], 'the upstream’s end');
    const [from, to] = side === 'the client' ? [client, server] : [server, client];
    from.socket.close(code, reason);
    expect(await to.untilClosed()).toEqual({ code, reason });
    expect(await from.untilClosed()).toMatchObject({ code });
    expect(await gateway.logged('request completed')).toMatchObject({ status: 101, reason: null });
    expect(gateway.logsWith('upstream request failed')).toEqual([]);
    expect(await gauges(gateway)).toEqual([0, 0, 0]);
  });

  it('by a client that just vanishes ends the upstream’s side and nothing else', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const leaving = await gateway.connect();
    await leaving.write(handshake('/ws'));
    await leaving.until(() => leaving.text.includes('\r\n\r\n'), 'an answer');
    const staying = await open(gateway);
    leaving.reset();
    expect(await upstream.peers[0]!.untilClosed()).toMatchObject({ code: 1006 });
    expect(await gateway.logged('request completed')).toMatchObject({ status: 101, reason: 'client_closed' });
    staying.send('still here');
    expect(await staying.message()).toBe('still here');
    expect(await gauges(gateway)).toEqual([1, 1, 1]);
    expect(gateway.logsWith('internal error')).toEqual([]);
  });

  it.each(['reset', 'end'] as const)(
    'by an upstream that is killed (%s) ends the client’s side',
    async (how) => {
      const upstream = await rawUpstream(async (connection) => {
        await connection.head();
        await connection.write(Buffer.concat([Buffer.from(SWITCHED), textFrame('half').subarray(0, 4)]));
      });
      const gateway = await startTestGateway(route(upstream.backend));
      const client = await gateway.connect();
      await client.write(handshake('/ws'));
      await client.until(() => client.text.endsWith('ha'), 'half a frame');
      upstream.connections[0]![how]();
      await client.untilClosed();
      expect(await gateway.logged('request completed')).toMatchObject({
        status: 101,
        reason: 'upstream_aborted',
      });
      expect(gateway.logsWith('upstream request failed', { reason: 'upstream_aborted' })).toHaveLength(1);
      expect(await gauges(gateway)).toEqual([0, 0, 0]);
    },
  );

  it('gives a side 2 s to close after the other', async () => {
    const upstream = await rawUpstream(async (connection) => {
      // It never closes its half.
      connection.socket.allowHalfOpen = true;
      await connection.until(() => connection.text.includes('\r\n\r\n'), 'a head');
      await connection.write(Buffer.concat([Buffer.from(SWITCHED), Buffer.from([0x88, 0])]));
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(handshake('/ws'));
    await client.until(() => client.text.endsWith('\x88\x00'), 'the close frame');
    const before = performance.now();
    await client.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
    client.end();
    expect(await gateway.logged('request completed')).toMatchObject({ status: 101, reason: null });
    expect(performance.now() - before).toBeGreaterThan(1_900);
    expect(performance.now() - before).toBeLessThan(2_600);
    expect(await gauges(gateway)).toEqual([0, 0, 0]);
  });
});

describe('idle_timeout', () => {
  it('outlives the response timeout while there is traffic, then ends with 1001', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend, { idle_timeout: '1s' }));
    const peer = await open(gateway);
    const opened = performance.now();
    for (let round = 0; round < 4; round++) {
      await delay(600);
      peer.send('tick');
      await peer.message(round);
    }
    const last = performance.now();
    expect(last - opened).toBeGreaterThan(2_000);
    expect(await peer.untilClosed()).toEqual({ code: 1001, reason: '' });
    expect(performance.now() - last).toBeGreaterThan(900);
    expect(performance.now() - last).toBeLessThan(1_500);
    expect(await upstream.peers[0]!.untilClosed()).toMatchObject({ code: 1001 });
    expect(await gateway.logged('request completed')).toMatchObject({ status: 101, reason: null });
    expect(await gauges(gateway)).toEqual([0, 0, 0]);
  });

  it.each(['client', 'upstream'] as const)('counts pings of the %s as traffic', async (side) => {
    const upstream = await wsUpstream({ autoPong: false });
    const gateway = await startTestGateway(route(upstream.backend, { idle_timeout: '400ms' }));
    const peer: Peer = dial(gateway, '/ws', { autoPong: false });
    await waitFor(() => upstream.peers[0], 'open');
    for (let round = 0; round < 5; round++) {
      await delay(200);
      (side === 'client' ? peer : upstream.peers[0]!).socket.ping();
    }
    expect(peer.closed).toBeNull();
    expect(await peer.untilClosed()).toMatchObject({ code: 1001 });
  });

  it('0s is never', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend, { idle_timeout: '0s' }));
    const peer = await open(gateway);
    await delay(1_500);
    peer.send('still here');
    expect(await peer.message()).toBe('still here');
  });
});

describe('a stop', () => {
  it('closes with 1001 on both sides and drains at once', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway({
      server: { shutdown: { grace_period: '5s' } },
      ...route(upstream.backend),
    });
    const peers = await Promise.all(Array.from({ length: 20 }, () => open(gateway)));
    const before = performance.now();
    await gateway.stop();
    expect(performance.now() - before).toBeLessThan(1_500);
    for (const peer of [...peers, ...upstream.peers])
      expect(await peer.untilClosed()).toMatchObject({ code: 1001 });
    expect(gateway.logsWith('request completed', { status: 101, reason: null })).toHaveLength(20);
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ drained: 20, cut: 0 });
  });

  it('waits for the end of a frame in both directions', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(Buffer.concat([Buffer.from(SWITCHED), textFrame('upstream').subarray(0, 5)]));
    });
    const gateway = await startTestGateway({
      server: { shutdown: { grace_period: '5s' } },
      ...route(upstream.backend),
    });
    const client = await gateway.connect();
    await client.write(handshake('/ws'));
    await client.until(() => client.text.endsWith('ups'), 'half a frame');
    const connection = upstream.connections[0]!;
    await client.write(maskedFrame('client').subarray(0, 9));
    await connection.until(() => connection.text.endsWith('cli'), 'half a frame');
    const stopped = gateway.stop();
    await gateway.logged('shutdown started');
    await connection.write(Buffer.concat([textFrame('upstream').subarray(5), textFrame('late')]));
    await client.write(Buffer.concat([maskedFrame('client').subarray(9), maskedFrame('late')]));
    await client.until(() => client.received.subarray(-4).toString('hex') === '880203e9', 'the close frame');
    expect(client.text).toContain('upstream\x88');
    await connection.until(() => /client\x88\x82.{6}$/s.test(connection.text), 'the masked close frame');
    const frame = connection.received.subarray(-8);
    expect([frame[6]! ^ frame[2]!, frame[7]! ^ frame[3]!]).toEqual([0x03, 0xe9]);
    // Both answer with a close frame of theirs.
    await client.write(Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe9]));
    await connection.write(Buffer.from([0x88, 0x02, 0x03, 0xe9]));
    await client.untilEnded();
    client.end();
    connection.end();
    await stopped;
    expect(client.text).not.toContain('late');
    expect(connection.text).not.toContain('late');
  });

  it('cuts what stays in the middle of a frame', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await connection.write(Buffer.concat([Buffer.from(SWITCHED), textFrame('upstream').subarray(0, 5)]));
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const client = await gateway.connect();
    await client.write(handshake('/ws'));
    await client.until(() => client.text.endsWith('ups'), 'half a frame');
    await gateway.stop();
    await client.untilClosed();
    expect(client.text.endsWith('ups')).toBe(true);
    expect(gateway.logsWith('request completed')).toEqual([
      expect.objectContaining({ status: 101, reason: 'gateway_stopped' }),
    ]);
    expect(gateway.logsWith('shutdown complete')[0]).toMatchObject({ cut: 1 });
  });

  it('answers a handshake that is under way, and takes leave at once', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.head();
      await gateway.logged('shutdown started');
      await connection.write(SWITCHED);
    });
    const gateway = await startTestGateway(route(upstream.backend));
    const peer = dial(gateway, '/ws');
    await waitFor(() => upstream.connections[0]?.requests[0], 'the handshake');
    await gateway.stop();
    // The answer is for another key, so a library hangs up; what came is on the wire.
    await peer.untilClosed();
    expect(gateway.logsWith('request completed', { status: 101 })).toHaveLength(1);
  });

  it('a kill cuts', async () => {
    const upstream = await wsUpstream();
    const gateway = await startTestGateway(route(upstream.backend));
    const peer = await open(gateway);
    await gateway.kill();
    expect(await peer.untilClosed()).toMatchObject({ code: 1006 });
    expect(await upstream.peers[0]!.untilClosed()).toMatchObject({ code: 1006 });
  });
});
