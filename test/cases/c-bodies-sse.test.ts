import { describe, expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { rawUpstream, startTestGateway } from '../support/index.js';

const GET = 'GET /events HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip, br\r\n\r\n';
const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

async function setUp(route: object = {}) {
  const upstream = await rawUpstream(async (connection) => {
    await connection.request();
    await connection.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  });
  const gateway = await startTestGateway({
    routes: [{ path: '/', timeout: '300ms', backends: [upstream.backend], ...route }],
  });
  const client = await gateway.connect();
  await client.write(GET);
  await client.until(() => client.responses.length > 0, 'the head, before any event');
  return { gateway, client, connection: upstream.connections[0]! };
}

describe('case 34: SSE', () => {
  it('passes each event on when it comes, beyond the response timeout, neither encoded nor buffered', async () => {
    const { gateway, client, connection } = await setUp();
    const delays: number[] = [];
    for (let event = 1; event <= 5; event++) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      const sent = performance.now();
      await connection.write(chunk(`data: ${event}\n\n`));
      await client.until(() => client.text.includes(`data: ${event}\n\n`), `event ${event}`);
      delays.push(performance.now() - sent);
    }
    // A buffer that waits for more would show as a delay up to the next event; one slow pass may be the machine.
    expect(delays.toSorted((one, other) => one - other)[2]).toBeLessThan(100);
    const [response] = client.responses;
    expect(response!.header('content-encoding')).toBeUndefined();
    expect(response!.header('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(gateway.logsWith('request completed')).toHaveLength(0);
    await connection.write('0\r\n\r\n');
    expect((await client.response()).text).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4\n\ndata: 5\n\n');
    await gateway.logged('request completed', { status: 200, reason: null, bytes_written: 45 });
    await untilAtRest(gateway);
  });

  it('passes an event on that comes in pieces, piece by piece', async () => {
    const { client, connection } = await setUp();
    for (const piece of ['da', 'ta: ', 'x', '\n', '\n']) {
      const before = client.responses[0]!.body.length;
      await connection.write(chunk(piece));
      await client.until(() => client.responses[0]!.body.length === before + piece.length, piece);
    }
    expect(client.responses[0]!.text).toBe('data: x\n\n');
  });

  it('is not cut by timeouts.total, but by silence', async () => {
    const { gateway, client, connection } = await setUp({ timeouts: { total: '200ms', idle: '600ms' } });
    for (let event = 0; event < 4; event++) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      await connection.write(chunk('data: x\n\n'));
    }
    await client.until(() => client.text.split('data: x').length === 5, 'four events');
    await client.untilClosed();
    expect(client.responses[0]!.complete).toBe(false);
    await gateway.logged('request completed', { reason: 'upstream_aborted' });
  });

  it('ends with its length too, and without one when the upstream closes', async () => {
    const script = [`${HEAD}Content-Length: 9\r\n\r\ndata: 1\n\n`, `${HEAD}\r\ndata: 2\n\n`];
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(script[connection.index]!);
      connection.end();
    });
    const gateway = await startTestGateway({ routes: [{ path: '/', backends: [upstream.backend] }] });
    const answers = [await gateway.get('/events'), await gateway.get('/events')];
    expect(answers.map((answer) => answer.text)).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });
});
