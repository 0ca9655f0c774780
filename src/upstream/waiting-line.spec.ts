import { describe, expect, it } from 'vitest';

import type { Upstream, WaitingExchange } from '../exchange/upstream.js';
import { WaitingLine } from './waiting-line.js';

/** Places of one upstream, and those who wait for them. */
function stage(places = 0) {
  const line = new WaitingLine();
  const seen = { free: places, asked: [] as string[], taken: [] as string[] };
  const upstream = { hasRoom: () => seen.free > 0 } as Partial<Upstream> as Upstream;
  /** @param then what the exchange does at once with its place; by default it keeps it */
  const waiting = (name: string, then: () => boolean = () => true, of = upstream): WaitingExchange => ({
    upstream: of,
    offered: () => {
      seen.asked.push(name);
      if (seen.free === 0) return false;
      seen.free--;
      seen.taken.push(name);
      return then();
    },
  });
  const end = (): void => {
    seen.free++;
    line.advance();
  };
  return { line, seen, waiting, end };
}

describe('the waiting line', () => {
  it('has the room that the one who joins says', () => {
    const { line, waiting } = stage();
    const [a, b, c] = [waiting('a'), waiting('b'), waiting('c')];
    expect([line.join(a, 2), line.join(b, 2), line.join(c, 2), line.join(c, 3)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(line.length).toBe(3);
    line.leave(b);
    line.leave(b);
    expect(line.length).toBe(2);
  });

  it('gives places in the order in which they joined', () => {
    const { line, seen, waiting, end } = stage();
    for (const name of ['a', 'b', 'c']) line.join(waiting(name), 9);
    end();
    end();
    expect(seen.taken).toEqual(['a', 'b']);
    expect(line.length).toBe(1);
  });

  it('passes by who cannot take what is free, who keeps its place', () => {
    const { line, seen, waiting, end } = stage();
    const picky = waiting('picky');
    line.join({ upstream: picky.upstream, offered: () => false }, 9);
    line.join(waiting('b'), 9);
    end();
    expect([seen.taken, line.length]).toEqual([['b'], 1]);
  });

  it('asks nobody when there is nothing, however long it is', () => {
    const { line, seen, waiting, end } = stage();
    for (let at = 0; at < 1_000; at++) line.join(waiting(`${at}`), 1_000);
    end();
    expect(seen.asked).toEqual(['0']);
  });

  it('asks those of another snapshot although the first one’s backends are full', () => {
    const { line, seen, waiting } = stage();
    line.join(waiting('old'), 9);
    const wider = { hasRoom: () => true } as Partial<Upstream> as Upstream;
    line.join({ upstream: wider, offered: () => seen.taken.push('new') > 0 }, 9);
    line.advance();
    expect([seen.asked, seen.taken]).toEqual([[], ['new']]);
  });

  it('gives a place on at once that is free again in the middle of an offer, and asks none twice at a time', () => {
    const { line, seen, waiting, end } = stage();
    let depth = 0;
    const failing = (): boolean => {
      expect(++depth).toBe(1);
      end();
      depth--;
      return true;
    };
    for (const name of ['a', 'b', 'c']) line.join(waiting(name, failing), 9);
    line.join(waiting('d'), 9);
    line.join(waiting('e'), 9);
    end();
    expect(seen.taken).toEqual(['a', 'b', 'c', 'd']);
    expect(line.length).toBe(1);
  });

  it('keeps the place of who has to wait again', () => {
    const { line, seen, waiting, end } = stage();
    const again = waiting('again', () => {
      // Full at its turn: it goes on waiting. The line is as full as it may be, and still it stays.
      expect(line.join(again, 2)).toBe(true);
      return seen.taken.length > 1;
    });
    line.join(again, 2);
    line.join(waiting('b'), 2);
    end();
    end();
    end();
    expect(seen.taken).toEqual(['again', 'again', 'b']);
    expect(line.length).toBe(0);
  });

  it('takes one who leaves, or joins, in the middle of an offer', () => {
    const { line, seen, waiting, end } = stage();
    const c = waiting('c');
    line.join(
      waiting('a', () => {
        line.leave(c);
        line.join(waiting('d'), 9);
        return true;
      }),
      9,
    );
    line.join(c, 9);
    end();
    end();
    expect(seen.taken).toEqual(['a', 'd']);
    expect(line.length).toBe(0);
  });

  it('goes on after an exchange that threw', () => {
    const { line, seen, waiting, end } = stage();
    const broken = waiting('broken', () => {
      throw new Error('a fault');
    });
    line.join(broken, 9);
    expect(end).toThrow('a fault');
    line.leave(broken);
    line.join(waiting('b'), 9);
    end();
    expect(seen.taken).toEqual(['broken', 'b']);
  });
});
