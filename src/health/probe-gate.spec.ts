import { setImmediate as nextTurn } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { ProbeGate } from './probe-gate.js';

describe('probe gate', () => {
  it('lets a few in at each turn, in order', async () => {
    const gate = new ProbeGate();
    const entered: number[] = [];
    for (let n = 0; n < 40; n++) void gate.enter().then(() => entered.push(n));
    const sizes: number[] = [];
    while (entered.length < 40) {
      await nextTurn();
      sizes.push(entered.length);
    }
    expect(sizes).toEqual([16, 32, 40]);
    expect(entered).toEqual(entered.toSorted((a, b) => a - b));
  });

  it('lets everybody in when it closes', async () => {
    const gate = new ProbeGate();
    const all = Promise.all(Array.from({ length: 100 }, () => gate.enter()));
    gate.close();
    await expect(all).resolves.toHaveLength(100);
  });
});
