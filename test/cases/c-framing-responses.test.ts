import { beforeAll, describe, expect, it } from 'vitest';

import { type ParsedResponse, rawUpstream } from '../support/index.js';
import { before, OK, rawGet, rawScene, type RawScene } from './scene.js';

let scene: RawScene;

beforeAll(async () => {
  scene = await rawScene({ timeout: '2s' });
});

/**
 * What the client gets for an upstream's reply, on a connection that must serve a second request afterwards
 * (unless the answer says otherwise): bytes too many or too few of the first would show in the second.
 */
async function answerTo(reply: string, method = 'GET'): Promise<ParsedResponse> {
  const { gateway, script } = scene;
  script.reply = reply;
  const methods = [method, 'GET'];
  await using client = await gateway.connect({ methods });
  await client.write(rawGet('/p', '', method));
  const first = await client.response(0);
  if (first.header('connection') === 'close') return first;
  script.reply = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext';
  await client.write(rawGet('/p'));
  expect((await client.response(1)).text).toBe('next');
  expect(client.responses).toHaveLength(2);
  return first;
}

describe('case 27: 204, 205 and 304 never carry bytes', () => {
  it.each([
    ['204 with a body', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204],
    [
      '204 chunked',
      'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      204,
    ],
    ['204 with a Trailer', 'HTTP/1.1 204 No Content\r\nTrailer: X-Sum\r\n\r\n', 204],
    ['205 with a body', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello', 205],
    [
      '205 chunked',
      'HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      205,
    ],
    ['304 with a length', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\nETag: "a"\r\n\r\n', 304],
    ['304 with a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello', 304],
    ['304 with a Trailer', 'HTTP/1.1 304 Not Modified\r\nTrailer: X-Sum\r\n\r\n', 304],
  ])('%s', async (_, reply, status) => {
    const answer = await answerTo(reply);
    expect([answer.status, answer.body.length, answer.header('transfer-encoding')]).toEqual([
      status,
      0,
      undefined,
    ]);
    expect(answer.header('trailer')).toBeUndefined();
    expect(answer.header('content-encoding')).toBeUndefined();
  });

  it('205 says that it is empty, 204 says nothing, 304 what the upstream said', async () => {
    const reset = await answerTo('HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello');
    const lengths = [reset.header('content-length')];
    for (const line of ['204 No Content', '304 Not Modified']) {
      // oxlint-disable-next-line no-await-in-loop -- one connection after the other.
      lengths.push(
        (await answerTo(`HTTP/1.1 ${line}\r\nContent-Length: 5\r\n\r\n`)).header('content-length'),
      );
    }
    expect(lengths).toEqual(['0', undefined, '5']);
  });
});

describe('HEAD', () => {
  it.each([
    ['a length', `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n`, '5'],
    ['no length', `HTTP/1.1 200 OK\r\n\r\n`, undefined],
    [
      'chunks announced',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n`,
      undefined,
    ],
    ['a body all the same', `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello`, '5'],
    ['an error with a length', `HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n`, '5'],
  ])('passes a head with %s, without a body', async (_, reply, length) => {
    const answer = await answerTo(reply, 'HEAD');
    expect([answer.body.length, answer.header('content-length')]).toEqual([0, length]);
  });
});

describe('bodies', () => {
  it.each([
    ['of a length', OK],
    ['in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\n\r\n'],
    [
      'in chunks, spelt otherwise',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['until the connection ends', 'HTTP/1.1 200 OK\r\n\r\nok<close>'],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nok<close>'],
    ['with bytes too many behind it', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged`],
  ])('%s arrive whole', async (_, reply) => {
    expect((await answerTo(reply)).text).toBe('ok');
  });

  it('of unknown length end the connection of an HTTP/1.0 client, also a kept one', async () => {
    scene.script.reply =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n';
    for (const lines of ['', 'Connection: keep-alive\r\n']) {
      const request = `GET /p HTTP/1.0\r\n${lines}\r\n`;
      // oxlint-disable-next-line no-await-in-loop -- one after the other.
      const { responses, closed } = await scene.gateway.raw(request, { until: 'close' });
      expect([responses[0]!.text, closed, responses[0]!.header('transfer-encoding')]).toEqual([
        'ok',
        true,
        undefined,
      ]);
    }
  });

  it('of a known length keep an HTTP/1.0 client’s connection where it asks for that', async () => {
    scene.script.reply = OK;
    const request = 'GET /p HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
    const { responses } = await scene.gateway.raw(request + request, { until: 2 });
    expect(responses.map(({ text }) => text)).toEqual(['ok', 'ok']);
  });
});

describe('answers that nobody can read', () => {
  it.each([
    [
      'a length beside a coding',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'a coding beside a length',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['a negative length', 'HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    [
      'a coding under the chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    [
      'a coding over the chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    [
      'the coding on two lines',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no HTTP', 'hello there\r\n\r\n'],
    ['no status', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['a control character', 'HTTP/1.1 200 OK\r\nX-A: a\x01b\r\nContent-Length: 2\r\n\r\nok'],
    ['a folded field', 'HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 2\r\n\r\nok'],
    ['a bare line feed', 'HTTP/1.1 200 OK\r\nX-A: a\nX-B: b\r\nContent-Length: 2\r\n\r\nok'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok'],
    ['a head of 70 kB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(70_000)}\r\nContent-Length: 2\r\n\r\nok`],
    ['half a head', 'HTTP/1.1 200 OK\r\nX-A<close>'],
    ['nothing', '<close>'],
    ['a reset', '<reset>'],
  ])('%s: 502, and the connection serves on', async (_, reply) => {
    const answer = await answerTo(reply);
    expect([answer.status, answer.json()['code']]).toEqual([502, 'upstream_unavailable']);
  });

  it.each([
    ['a body that is too short', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok<close>'],
    ['chunks without an end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n<close>'],
    ['a malformed chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzz\r\n'],
  ])('%s: the transfer is cut, never ended', async (_, reply) => {
    scene.script.reply = reply;
    const { responses, closed } = await scene.gateway.raw(rawGet('/p'), { until: 'close' });
    expect([responses[0]!.status, responses[0]!.complete, closed]).toEqual([200, false, true]);
    await scene.gateway.logged('request completed', { reason: 'upstream_aborted' });
  });
});

describe('case 20: trailers of an answer', () => {
  it('pass, but for names that frame or route', async () => {
    const answer = await answerTo(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 9\r\nHost: evil\r\nContent-Length: 1\r\n' +
        'Set-Cookie: a=1\r\nContent-Type: text/html\r\nCache-Control: public\r\nConnection: x\r\nx-sum: 10\r\n\r\n',
    );
    expect([answer.text, answer.header('trailer')]).toEqual(['ok', 'X-Sum']);
    expect(answer.trailers).toEqual([
      ['X-Sum', '9'],
      ['x-sum', '10'],
    ]);
    expect(answer.header('set-cookie')).toBeUndefined();
  });

  it('are not announced where none can follow', async () => {
    const answer = await answerTo('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTrailer: X-Sum\r\n\r\nok');
    expect([answer.text, answer.header('trailer')]).toEqual(['ok', undefined]);
  });
});

describe('interim answers', () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload; as=style\r\n\r\n';

  it('103 passes with its links, and its fields stay out of the final head', async () => {
    const more = 'HTTP/1.1 103 Early Hints\r\nLink: </b.js>; rel=preload, </c>; rel="next"\r\nX-H: 1\r\n\r\n';
    const answer = await answerTo(hint + more + OK);
    expect(answer.interim.map(({ status }) => status)).toEqual([103, 103]);
    expect(answer.interim.map(({ headers }) => headers)).toEqual([
      [['Link', '</a.css>; rel=preload; as=style']],
      [['Link', '</b.js>; rel=preload, </c>; rel="next"']],
    ]);
    expect([answer.text, answer.header('link'), answer.header('x-h')]).toEqual(['ok', undefined, undefined]);
  });

  it('102 passes', async () => {
    const answer = await answerTo(`HTTP/1.1 102 Processing\r\n\r\n${OK}`);
    expect([answer.interim.map(({ status }) => status), answer.text]).toEqual([[102], 'ok']);
  });

  it.each([
    ['a hint that is no link', `HTTP/1.1 103 Early Hints\r\nLink: nonsense\r\n\r\n${OK}`],
    ['a hint without a link', `HTTP/1.1 103 Early Hints\r\nX-H: 1\r\n\r\n${OK}`],
    ['an unknown one', `HTTP/1.1 150 Odd\r\nX-H: 1\r\n\r\n${OK}`],
  ])('%s is dropped, and the answer passes', async (_, reply) => {
    const answer = await answerTo(reply);
    expect([answer.interim, answer.status, answer.text]).toEqual([[], 200, 'ok']);
  });

  it('do not reach an HTTP/1.0 client', async () => {
    scene.script.reply = hint + OK;
    const { responses } = await scene.gateway.raw('GET /p HTTP/1.0\r\n\r\n', { until: 'close' });
    expect([responses[0]!.interim, responses[0]!.text]).toEqual([[], 'ok']);
  });

  it('a 100 that nobody waits for is dropped', async () => {
    const { status, text, interim } = await answerTo(`HTTP/1.1 100 Continue\r\n\r\n${OK}`);
    expect([status, text, interim]).toEqual([200, 'ok', []]);
  });

  it('arrive before the final head does', async () => {
    const upstream = await rawUpstream(async (connection) => {
      await connection.request();
      await connection.write(hint);
    });
    const gateway = await before(upstream);
    const client = await gateway.connect();
    await client.write(rawGet('/p'));
    await client.until(() => client.text.includes('103 Early Hints'), 'the hint');
    await upstream.connections[0]!.write(OK);
    expect((await client.response()).text).toBe('ok');
  });
});

it('a gateway that had to read all of this is as it was', async () => {
  expect(scene.gateway.logsWith('internal error')).toEqual([]);
  expect(await scene.gateway.metric('gateway_active_requests')).toBe(0);
  expect(await scene.gateway.metric('gateway_backend_in_flight')).toBe(0);
});
