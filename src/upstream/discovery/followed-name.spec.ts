import { beforeEach, describe, expect, it } from 'vitest';

import type { DiscoveryEvents } from './discovery-events.js';
import type { DiscoveryListener, Found } from './discovery.js';
import { FollowedName } from './followed-name.js';

describe('a followed name', () => {
  let lines: string[];
  let moves: number;
  let listeners: DiscoveryListener[];
  let stops: number;
  let name: FollowedName;

  const events: DiscoveryEvents = {
    discoveryFailed: (upstream, host, { message }) => lines.push(`${upstream} ${host} failed: ${message}`),
    discoveryRecovered: (upstream, host) => lines.push(`${upstream} ${host} recovered`),
    addressesChanged: (upstream, host, addresses) =>
      lines.push(`${upstream} ${host}: ${addresses.join(' ')}`),
  };

  beforeEach(() => {
    [lines, moves, listeners, stops] = [[], 0, [], 0];
    const discovery = {
      follow(_: unknown, listener: DiscoveryListener) {
        listeners.push(listener);
        return { stop: () => void stops++ };
      },
    };
    const owner = { upstream: 'u', events, moved: () => void moves++ };
    name = new FollowedName({ name: 'api.test', port: 80 }, '', discovery, owner);
  });

  const servers = (...addresses: string[]): Found[] =>
    addresses.map((address) => ({ address, port: 80, weight: 1 }));

  it('begins once', () => {
    expect(listeners).toEqual([]);
    name.begin();
    name.begin();
    expect(listeners).toEqual([name]);
  });

  it('tells of other servers, not of another order', () => {
    name.found(servers('10.0.0.2', '10.0.0.1'), null);
    name.found(servers('10.0.0.1', '10.0.0.2'), null);
    expect(name.servers.map(({ address }) => address)).toEqual(['10.0.0.1', '10.0.0.2']);
    name.found(servers('10.0.0.1', '::1'), null);
    expect(lines).toEqual(['u api.test: 10.0.0.1:80 10.0.0.2:80', 'u api.test: 10.0.0.1:80 [::1]:80']);
    expect(moves).toBe(2);
  });

  it('takes the weights of the same server together', () => {
    name.found([...servers('10.0.0.1', '10.0.0.1'), { address: '10.0.0.1', port: 81, weight: 5 }], null);
    expect(name.servers).toEqual([
      { address: '10.0.0.1', port: 80, weight: 2 },
      { address: '10.0.0.1', port: 81, weight: 5 },
    ]);
  });

  it('keeps the last good answer, and says once a change that it is an old one', () => {
    name.found(servers('10.0.0.1'), null);
    lines = [];
    name.failed(new Error('first'));
    name.failed(new Error('second'));
    name.found(servers('10.0.0.1'), new Error('a part'));
    expect(name.servers).toHaveLength(1);
    name.found(servers('10.0.0.1'), null);
    name.found(servers('10.0.0.1'), new Error('a part'));
    expect(lines).toEqual(['u api.test failed: first', 'u api.test recovered', 'u api.test failed: a part']);
    expect(moves).toBe(1);
  });

  it.each<[string, () => void]>([
    ['found', () => name.found(servers('10.0.0.1'), null)],
    ['not found', () => name.failed(new Error('x'))],
    ['stopped', () => name.stop()],
  ])('is answered once it is %s', async (_, settle) => {
    let answered = false;
    void name.answered.then(() => (answered = true));
    await Promise.resolve();
    expect(answered).toBe(false);
    settle();
    await name.answered;
    expect(answered).toBe(true);
  });

  it('stops what it began, if it did', () => {
    name.stop();
    expect(stops).toBe(0);
    name.begin();
    name.stop();
    expect(stops).toBe(1);
  });
});
