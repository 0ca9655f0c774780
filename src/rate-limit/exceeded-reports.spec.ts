import { describe, expect, it } from 'vitest';

import { Exchange } from '../exchange/exchange.js';
import { requestHead } from '../exchange/request-head.fixture.js';
import { ExceededReports } from './exceeded-reports.js';

const head = requestHead({ target: '/a' });
const exchange = new Exchange('1', 0, head);

function reporting() {
  const told: [limit: string, suppressed: number][] = [];
  const reports = new ExceededReports({ exceeded: (_, limit, suppressed) => told.push([limit, suppressed]) });
  return { told, report: (key: string, now: number) => reports.report(exchange, key, key, now) };
}

describe('ExceededReports', () => {
  it('tells of a key once a second, with the number it kept to itself', () => {
    const { told, report } = reporting();
    for (const now of [0, 1, 2, 999, 1_000, 1_001, 5_000]) report('a', now);
    expect(told).toEqual([
      ['a', 0],
      ['a', 3],
      ['a', 1],
    ]);
  });

  it('tells of each key by itself', () => {
    const { told, report } = reporting();
    for (const key of ['a', 'b', 'a']) report(key, 0);
    expect(told).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  it('is silent but for one line a second when there are too many keys to remember', () => {
    const { told, report } = reporting();
    for (let i = 0; i < 50_000; i++) report(`${i}`, 0);
    expect(told).toHaveLength(10_001);
    for (let i = 0; i < 50_000; i++) report(`${i}`, 500);
    expect(told).toHaveLength(10_001);
  });

  it('remembers new keys again when the old ones kept quiet', () => {
    const { told, report } = reporting();
    for (let i = 0; i < 20_000; i++) report(`${i}`, 0);
    told.length = 0;
    report('new', 2_000);
    report('other', 2_000);
    expect(told).toEqual([
      ['new', 0],
      ['other', 0],
    ]);
  });
});
