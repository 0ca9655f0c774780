import { describe, expect, it } from 'vitest';

import { WebSocketSlots } from './websocket-slots.js';

const route = (id: string, path = `/${id}`): { id: string; path: string } => ({ id, path });
const snapshot = (...routes: object[]): Parameters<WebSocketSlots['applied']>[0] =>
  ({ routes }) as unknown as Parameters<WebSocketSlots['applied']>[0];

describe('WebSocketSlots', () => {
  it('bounds handshakes and open ones together, for each route', () => {
    const slots = new WebSocketSlots();
    const first = slots.take(route('a'), 2)!;
    slots.take(route('a'), 2)!.opened();
    expect(slots.take(route('a'), 2)).toBeNull();
    expect(slots.take(route('b'), 2)).not.toBeNull();
    first.release();
    first.release();
    expect(slots.take(route('a'), 2)).not.toBeNull();
    expect(slots.take(route('a'), 2)).toBeNull();
    expect(slots.take(route('a'), 0)).not.toBeNull();
  });

  it('counts open ones alone, by path', () => {
    const slots = new WebSocketSlots();
    const places = [route('a', '/ws'), route('b', '/ws'), route('c')].map((each) => slots.take(each, 0)!);
    expect(slots.webSocketCounts()).toEqual([
      { path: '/ws', open: 0 },
      { path: '/c', open: 0 },
    ]);
    for (const place of places) place.opened();
    places[0]!.opened();
    places[2]!.release();
    places[2]!.opened();
    expect(slots.webSocketCounts()).toEqual([
      { path: '/ws', open: 2 },
      { path: '/c', open: 0 },
    ]);
  });

  it('forgets a removed route once its last one has ended', () => {
    const slots = new WebSocketSlots();
    const place = slots.take(route('a'), 0)!;
    place.opened();
    slots.applied(snapshot());
    expect(slots.webSocketCounts()).toEqual([{ path: '/a', open: 1 }]);
    place.release();
    slots.applied(snapshot());
    expect(slots.webSocketCounts()).toEqual([]);
  });

  it('keeps the count of a route that a reload gave another path', () => {
    const slots = new WebSocketSlots();
    slots.take(route('a', '/old'), 0)!.opened();
    slots.take(route('a', '/new'), 0)!.opened();
    expect(slots.webSocketCounts()).toEqual([{ path: '/new', open: 2 }]);
    expect(slots.take(route('a', '/new'), 2)).toBeNull();
  });
});
