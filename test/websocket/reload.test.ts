import { expect, it } from 'vitest';

import { echoUpstream, startTestGateway } from '../support/index.js';
import { open, refused, wsUpstream } from './support.js';

const a = (backend: object): object => ({ id: 'a', path: '/a', backends: [backend] });
const b = (backend: object): object => ({ id: 'b', path: '/b', backends: [backend] });

it('a reload cuts nothing: old WebSockets stay where they are, new ones go where the document says', async () => {
  const [first, second, other] = [await wsUpstream(), await wsUpstream(), await echoUpstream()];
  const gateway = await startTestGateway({ routes: [a(first.backend)] });
  const old = await open(gateway, '/a');

  expect(await gateway.reload({ routes: [a(first.backend), b(other.backend)] })).toBe(true);
  old.send('1');
  expect(await old.message(0)).toBe('1');
  expect((await gateway.get('/b')).status).toBe(200);

  expect(await gateway.reload({ routes: [a(second.backend), b(other.backend)] })).toBe(true);
  const fresh = await open(gateway, '/a');
  old.send('2');
  fresh.send('2');
  expect([await old.message(1), await fresh.message(0)]).toEqual(['2', '2']);
  expect([first.peers.length, second.peers.length]).toEqual([1, 1]);
  expect(await gateway.metric('gateway_websocket_connections', { path: '/a' })).toBe(2);

  expect(await gateway.reload({ routes: [b(other.backend)] })).toBe(true);
  old.send('3');
  fresh.send('3');
  expect([await old.message(2), await fresh.message(1)]).toEqual(['3', '3']);
  expect((await refused(gateway, '/a')).status).toBe(404);
  expect(await gateway.metric('gateway_websocket_connections', { path: '/a' })).toBe(2);

  old.socket.close(1000);
  fresh.socket.close(1000);
  expect([await first.peers[0]!.untilClosed(), await second.peers[0]!.untilClosed()]).toEqual([
    { code: 1000, reason: '' },
    { code: 1000, reason: '' },
  ]);
});

it('200 WebSockets live through 20 reloads, every second one of an invalid document', async () => {
  const upstream = await wsUpstream();
  const document = (round: number): object => ({
    routes: [a(upstream.backend), b({ url: `http://127.0.0.1:${10_000 + round}` })],
  });
  const gateway = await startTestGateway(document(0));
  const peers = await Promise.all(Array.from({ length: 200 }, () => open(gateway, '/a')));
  for (let round = 1; round <= 20; round++) {
    const valid = round % 2 === 0;
    expect(await gateway.reload(valid ? document(round) : { routes: [] })).toBe(valid);
    for (const peer of peers) peer.send(`${round}`);
    const echoed = await Promise.all(peers.map((peer) => peer.message(round - 1)));
    expect(new Set(echoed)).toEqual(new Set([`${round}`]));
  }
  expect(peers.every(({ closed }) => closed === null)).toBe(true);
  expect(upstream.peers).toHaveLength(200);
});

it('max_connections counts over reloads', async () => {
  const upstream = await wsUpstream();
  const document = (max: number): object => ({
    routes: [{ ...a(upstream.backend), websocket: { max_connections: max } }],
  });
  const gateway = await startTestGateway(document(2));
  await open(gateway, '/a');
  await open(gateway, '/a');
  await gateway.reload(document(3));
  await open(gateway, '/a');
  expect((await refused(gateway, '/a')).status).toBe(503);
});
