import { describe, expect, it } from 'vitest';

import { type RawConnection, waitFor } from '../../../test/support/index.js';
import { backend, type Backend, Heard, poolTo, requestOf, rest } from '../http1/http1.fixture.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Answers every request with its target, when it is told to. */
async function answeringLate(connections: number, pending = 100) {
  const held: (() => void)[] = [];
  const made = await backend(
    async (connection) => {
      for (let index = 0; ; index++) {
        const { target } = await connection.request(index);
        await new Promise<void>((resolve) => held.push(resolve));
        await connection.write(`HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n${target}`);
      }
    },
    { max_connections: connections, max_pending: pending },
  );
  const answer = (): void => held.shift()!();
  const arrived = (count: number): Promise<unknown> =>
    waitFor(() => held.length === count, `${count} requests`);
  return { ...made, answer, arrived };
}

const openAt = ({ upstream }: Backend): number => upstream.connections.filter(({ closed }) => !closed).length;

async function serving(connection: RawConnection, reply = OK): Promise<void> {
  for (let index = 0; ; index++) {
    await connection.request(index);
    await connection.write(reply);
  }
}

describe('requests of one backend', () => {
  it('have max_connections at once, and the others wait in order', async () => {
    const { send, answer, arrived, upstream } = await answeringLate(2);
    const all = Array.from({ length: 6 }, (_, index) => send({ path: `/${index}` }));
    const ended: string[] = [];
    await arrived(2);
    expect(all.map(({ connection }) => connection !== null)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    for (const heard of all) {
      await arrived(Math.min(2, all.length - ended.length));
      answer();
      await heard.untilOver();
      ended.push(heard.body);
    }
    expect(ended).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
    expect(upstream.connections).toHaveLength(2);
    expect(all.map(({ reused }) => reused)).toEqual([false, false, true, true, true, true]);
  });

  it('beyond max_pending are refused, and nothing happened', async () => {
    const { send, pool, answer, arrived } = await answeringLate(1, 1);
    const first = send();
    const waits = send({ path: '/waits' });
    const refused = new Heard();
    expect(pool.dispatch(requestOf(), refused)).toBe(false);
    await arrived(1);
    answer();
    await first.untilOver();
    await arrived(1);
    answer();
    expect((await waits.untilOver()).body).toBe('/waits');
    expect(refused.events).toEqual([]);
  });

  it('that wait can be cancelled, and others then wait in their place', async () => {
    const { send, pool, answer, arrived, upstream } = await answeringLate(1, 2);
    const [first, second, third] = ['/1', '/2', '/3'].map((path) => send({ path }));
    expect([pool.cancel(second!), pool.cancel(second!), pool.cancel(first!)]).toEqual([true, false, false]);
    const fourth = send({ path: '/4' });
    for (const heard of [first, third, fourth]) {
      await arrived(1);
      answer();
      await heard!.untilOver();
    }
    expect(upstream.requests.map(({ target }) => target)).toEqual(['/1', '/3', '/4']);
    expect(second!.events).toEqual([]);
  });

  it.each(['abort', 'lose'] as const)('%s their connection, and the next one gets a new one', async (how) => {
    const { send, arrived, answer, upstream } = await answeringLate(1);
    const first = send({ path: '/1' });
    const second = send({ path: '/2' });
    await arrived(1);
    if (how === 'abort') first.connection!.abort(new Error('given up'));
    else upstream.connections[0]!.reset();
    await first.untilOver();
    answer();
    await arrived(1);
    answer();
    await second.untilOver();
    expect([second.body, second.reused, upstream.connections.length]).toEqual(['/2', false, 2]);
  });

  it('fail with the dial, all of them', async () => {
    const { upstream, url } = await backend([]).then((made) => ({ ...made, url: made.upstream.url }));
    await upstream.stop();
    const pool = poolTo(url, { max_connections: 1 });
    const all = Array.from({ length: 5 }, () => new Heard());
    for (const heard of all) pool.dispatch(requestOf(), heard);
    for (const heard of all) expect((await heard.untilOver()).error!.code).toBe('ECONNREFUSED');
  });

  it('the latest used connection goes first', async () => {
    const made = await answeringLate(3);
    const all = Array.from({ length: 3 }, () => made.send());
    await made.arrived(3);
    for (let left = 3; left > 0; left--) {
      made.answer();
      await waitFor(() => all.filter(({ over }) => over).length === 4 - left, 'one more');
    }
    const last = made.upstream.connections.at(-1)!;
    for (let count = 2; count < 4; count++) {
      const heard = made.send();
      await made.arrived(1);
      made.answer();
      await heard.untilOver();
      expect(last.requests).toHaveLength(count);
    }
  });
});

describe('a fresh connection', () => {
  it('is opened beside idle ones, and beyond the limit', async () => {
    const made = await answeringLate(1);
    const busy = made.send({ path: '/busy' });
    await made.arrived(1);
    const fresh = new Heard();
    made.pool.dispatch(requestOf({ path: '/fresh' }), fresh, true);
    await made.arrived(2);
    expect([fresh.reused, openAt(made)]).toEqual([false, 2]);
    made.answer();
    made.answer();
    await Promise.all([busy.untilOver(), fresh.untilOver()]);
    await waitFor(() => openAt(made) === 1, 'only as many as may be');
    const next = made.send();
    await made.arrived(1);
    made.answer();
    expect((await next.untilOver()).reused).toBe(true);
  });

  it('however often: afterwards there are no more than the limit', async () => {
    const made = await backend((connection) => serving(connection), { max_connections: 2 });
    for (let round = 0; round < 5; round++) {
      const all = Array.from({ length: 6 }, () => new Heard());
      for (const heard of all) made.pool.dispatch(requestOf(), heard, true);
      all.push(made.send(), made.send());
      for (const heard of all) expect((await heard.untilOver()).body).toBe('ok');
      await waitFor(() => openAt(made) === 2, 'as many as may be');
    }
  });
});

describe('an idle connection', () => {
  it('is closed when keep_alive is over', async () => {
    const made = await backend((connection) => serving(connection), { keep_alive: '40ms' });
    await made.send().untilOver();
    await made.untilAllClosed();
    expect((await made.send().untilOver()).reused).toBe(false);
  });

  it('is closed before its backend would', async () => {
    const reply = OK.replace('\r\n\r\n', '\r\nKeep-Alive: timeout=2, max=5\r\n\r\n');
    const made = await backend((connection) => serving(connection, reply));
    await made.send().untilOver();
    await made.untilAllClosed();
    expect((await made.send().untilOver()).reused).toBe(false);
  });

  it('is not closed while it is busy', async () => {
    const made = await answeringLate(1);
    const pool = poolTo(made.upstream.url, { keep_alive: '30ms' });
    const first = new Heard();
    pool.dispatch(requestOf(), first);
    await made.arrived(1);
    made.answer();
    await first.untilOver();
    const second = new Heard();
    pool.dispatch(requestOf({ path: '/late' }), second);
    await made.arrived(1);
    await new Promise((resolve) => setTimeout(resolve, 80));
    made.answer();
    expect((await second.untilOver()).body).toBe('/late');
  });

  it.each(['timeout=60', 'timeout=x', 'max=1', 'timeout=99999999999999999999'])(
    'serves again: Keep-Alive: %s',
    async (said) => {
      const reply = OK.replace('\r\n\r\n', `\r\nKeep-Alive: ${said}\r\n\r\n`);
      const made = await backend((connection) => serving(connection, reply));
      await made.send().untilOver();
      expect((await made.send().untilOver()).reused).toBe(true);
    },
  );

  it('each has its own time', async () => {
    const made = await backend(
      async (connection) => {
        const { target } = await connection.request();
        await connection.write(OK.replace('\r\n\r\n', `\r\nKeep-Alive: timeout=${target.slice(1)}\r\n\r\n`));
      },
      { keep_alive: '60ms' },
    );
    const all = ['/60', '/2', '/60'].map((path) => made.send({ path }));
    for (const heard of all) await heard.untilOver();
    await made.untilAllClosed();
    expect(made.upstream.connections).toHaveLength(3);
  });
});

describe('a pool that closes', () => {
  it('ends what is idle at once, and what is busy with its answer', async () => {
    const made = await answeringLate(3);
    const [idle, busy] = [made.send(), made.send({ path: '/busy' })];
    await made.arrived(2);
    made.answer();
    await waitFor(() => idle.over || busy.over, 'one answer');
    made.pool.close();
    await waitFor(() => openAt(made) === 1, 'the idle one closed');
    made.answer();
    await Promise.all([idle.untilOver(), busy.untilOver()]);
    await made.untilAllClosed();
    expect([idle.events.at(-1), busy.events.at(-1)]).toEqual(['end', 'end']);
  });

  it('still serves those who wait and those who come, and keeps nothing', async () => {
    const made = await answeringLate(1);
    const all = [made.send({ path: '/1' }), made.send({ path: '/2' })];
    made.pool.close();
    made.pool.close();
    all.push(made.send({ path: '/3' }));
    for (const heard of all) {
      await made.arrived(1);
      made.answer();
      await heard.untilOver();
    }
    expect(all.map(({ body }) => body)).toEqual(['/1', '/2', '/3']);
    await made.untilAllClosed();
    expect(made.upstream.connections).toHaveLength(1);
  });
});

it('nothing leaks, whatever the backends and the requests do', async () => {
  let seed = 1;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const made = await backend(
    async (connection) => {
      for (let index = 0; ; index++) {
        await connection.request(index);
        const what = random(8);
        if (what === 0) return connection.reset();
        if (what === 1) return connection.end();
        await connection.write(what === 2 ? `${OK}more` : what === 3 ? 'nonsense' : OK);
        if (what === 4) return connection.end();
      }
    },
    { max_connections: 4, max_pending: 1_000 },
  );
  const all: Heard[] = [];
  for (let count = 0; count < 500; count++) {
    const give = random(6) === 0 ? (['started', 'began', 'head', 'data'] as const)[random(4)] : null;
    const heard = new Heard(
      (event, { connection }) => event === give && connection!.abort(new Error('given up')),
    );
    made.pool.dispatch(requestOf({ path: `/${count}` }), heard, random(10) === 0);
    all.push(heard);
    if (random(5) === 0) await rest();
  }
  for (const heard of all) await heard.untilOver();
  for (const { events } of all) {
    expect(events.filter((event) => event === 'end' || event === 'failed')).toHaveLength(1);
    expect(['end', 'failed']).toContain(events.at(-1));
  }
  await waitFor(() => openAt(made) <= 4, 'no more than the limit');
  // As many as there may be can be had again: none was counted and lost.
  const again = Array.from({ length: 50 }, () => made.send({ path: '/again' }));
  for (const heard of again) await heard.untilOver();
  made.pool.close();
  await made.untilAllClosed();
});
