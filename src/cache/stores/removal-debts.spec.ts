import { beforeEach, describe, expect, it } from 'vitest';

import { RemovalDebts } from './removal-debts.js';

describe('removals that are owed', () => {
  let asked: (readonly string[] | null)[];
  let works: boolean;
  let debts: RemovalDebts;

  beforeEach(() => {
    asked = [];
    works = true;
    debts = new RemovalDebts((keys) => {
      asked.push(keys);
      return Promise.resolve(works);
    });
  });

  it('asks for nothing when nothing is owed', async () => {
    await debts.pay();
    expect(asked).toEqual([]);
  });

  it('are paid once, each key once', async () => {
    for (const key of ['a', 'b', 'a']) debts.owe(key);
    await debts.pay();
    await debts.pay();
    expect(asked).toEqual([['a', 'b']]);
  });

  it('stay when they could not be paid', async () => {
    debts.owe('a');
    works = false;
    await debts.pay();
    debts.owe('b');
    works = true;
    await debts.pay();
    expect(asked).toEqual([['a'], ['a', 'b']]);
  });

  it('are everything when everything was to go, and that stays too', async () => {
    debts.owe('a');
    debts.owe(null);
    debts.owe('b');
    works = false;
    await debts.pay();
    works = true;
    await debts.pay();
    await debts.pay();
    expect(asked).toEqual([null, null]);
  });

  it('are everything when they are too many to remember', async () => {
    for (let at = 0; at <= 10_000; at++) debts.owe(String(at));
    await debts.pay();
    expect(asked).toEqual([null]);
  });

  it('are handed on before anything else can be asked', () => {
    debts.owe('a');
    void debts.pay();
    expect(asked).toEqual([['a']]);
  });
});
