import { beforeAll, describe, expect, it } from 'vitest';

import {
  type Echo,
  echoedHeader,
  type EchoUpstream,
  echoUpstream,
  startTestGateway,
  type TestGateway,
} from '../support/index.js';
import { echoScene, rawGet, rawScene, type RawScene } from './scene.js';

let echo: EchoUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  ({ upstream: echo, gateway } = await echoScene());
});

/** What the ECHO gets of a request with these header lines. */
async function arriving(lines: string, method = 'GET', body = ''): Promise<Echo> {
  const count = echo.requests.length;
  const { responses } = await gateway.raw(rawGet('/p', lines, method) + body);
  expect([responses[0]?.status, echo.requests.length - count]).toEqual([200, 1]);
  return echo.last!;
}

describe('case 14: the Host that the upstream gets', () => {
  async function hostWith(
    hostHeader: string,
    request = 'GET /p HTTP/1.1\r\nHost: shop.example:8443\r\n\r\n',
  ) {
    const upstream = await echoUpstream();
    const preserving = await startTestGateway({
      upstreams: { u: { backends: [upstream.backend], host_header: hostHeader } },
      routes: [{ id: 'p', path: '/p', upstream: 'u' }],
    });
    await preserving.raw(request);
    const received = upstream.requests[0]!;
    return {
      backend: new URL(upstream.url).host,
      host: echoedHeader(received, 'host'),
      forwarded: echoedHeader(received, 'x-forwarded-host'),
    };
  }

  it('is the backend’s own, with the client’s in X-Forwarded-Host', async () => {
    const { backend, host, forwarded } = await hostWith('backend');
    expect([host, forwarded]).toEqual([[backend], ['shop.example:8443']]);
  });

  it('is the client’s where it is preserved', async () => {
    const { host, forwarded } = await hostWith('preserve');
    expect([host, forwarded]).toEqual([['shop.example:8443'], ['shop.example:8443']]);
  });

  it('is a fixed one where the document says so', async () => {
    const { host, forwarded } = await hostWith('inner.example');
    expect([host, forwarded]).toEqual([['inner.example'], ['shop.example:8443']]);
  });

  it('is the authority of an absolute target before that of the Host line', async () => {
    const absolute = 'GET http://real.example/p HTTP/1.1\r\nHost: other.example\r\n\r\n';
    const { host, forwarded } = await hostWith('preserve', absolute);
    expect([host, forwarded]).toEqual([['real.example'], ['real.example']]);
  });

  it('is the backend’s own for an HTTP/1.0 client that sends none', async () => {
    const { backend, host, forwarded } = await hostWith('preserve', 'GET /p HTTP/1.0\r\n\r\n');
    expect([host, forwarded]).toEqual([[backend], ['']]);
  });
});

describe('case 16: repeated request headers', () => {
  it('pass line by line in their order; Cookie lines become one', async () => {
    const lines = 'Accept: a/b\r\nCookie: a=1\r\nX-A: 1\r\nAccept: c/d\r\ncookie: b=2; c=3\r\nX-A: 2\r\n';
    const received = await arriving(lines);
    expect(echoedHeader(received, 'accept')).toEqual(['a/b', 'c/d']);
    expect(echoedHeader(received, 'x-a')).toEqual(['1', '2']);
    expect(echoedHeader(received, 'cookie')).toEqual(['a=1; b=2; c=3']);
  });

  it.each([
    ['the same twice', 'Host: gw.test\r\n'],
    ['two different ones', 'Host: other.test\r\n'],
    ['one in another case', 'hOST: gw.test\r\n'],
    ['an empty one', 'Host:\r\n'],
  ])('are refused where they are Host lines: %s', async (_, second) => {
    const started = echo.started;
    const { responses } = await gateway.raw(rawGet('/p', second));
    expect([responses[0]!.status, echo.started - started]).toEqual([400, 0]);
  });

  it.each(['a b', 'a@b', 'http://a', 'a/b', 'a:99999', '[::1', '[gg]', '..', 'a\\b', 'a"b'])(
    'a malformed Host is refused: %s',
    async (host) => {
      const started = echo.started;
      const { responses } = await gateway.raw(`GET /p HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([responses[0]!.status, echo.started - started]).toEqual([400, 0]);
    },
  );

  it('HTTP/1.1 without a Host is refused, HTTP/1.0 is not', async () => {
    const refused = await gateway.raw('GET /p HTTP/1.1\r\n\r\n');
    const empty = await gateway.raw('GET /p HTTP/1.1\r\nHost:\r\n\r\n');
    const served = await gateway.raw('GET /p HTTP/1.0\r\n\r\n');
    const answers = [refused, empty, served].map(({ responses }) => responses[0]!.status);
    expect(answers).toEqual([400, 400, 200]);
  });
});

describe('end-to-end request headers', () => {
  it('keep their bytes, case, order and emptiness', async () => {
    const lines =
      'x-UPPER-lower: \t v  w \t\r\nX-Latin: \xe9\xff\r\nX-Empty:\r\nX-Quoted: "a, b"\\\r\nAccept: */*\r\n';
    const { rawHeaders } = await arriving(lines);
    const from = rawHeaders.indexOf('x-UPPER-lower');
    expect(rawHeaders.slice(from, from + 10)).toEqual([
      'x-UPPER-lower',
      'v  w',
      'X-Latin',
      '\xe9\xff',
      'X-Empty',
      '',
      'X-Quoted',
      '"a, b"\\',
      'Accept',
      '*/*',
    ]);
  });

  it('pass in their hundreds: none is dropped for its number, least of all the framing behind them', async () => {
    const { upstream, gateway: roomy } = await rawScene({}, { server: { max_header_size: '64kb' } });
    const many = Array.from({ length: 1_500 }, (_, index) => `X-${index}: ${index}\r\n`).join('');
    const body = 'Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n';
    const { responses } = await roomy.raw(`POST /p HTTP/1.1\r\nHost: h\r\n${many}${body}`);
    expect(responses[0]!.status).toBe(200);
    const [received] = upstream.requests;
    expect([received!.header('x-1499'), received!.body.toString()]).toEqual(['1499', 'hi']);
  });

  it('are not the hop-by-hop ones', async () => {
    const hops = [
      'Connection: keep-alive, X-Hop',
      'Keep-Alive: timeout=5',
      'Proxy-Connection: keep-alive',
      'Proxy-Authorization: Basic x',
      'Proxy-Authenticate: Basic',
      'TE: deflate',
      'Trailer: X-Sum',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      'X-Hop: 1',
      'X-End: 1',
    ];
    const received = await arriving(`${hops.join('\r\n')}\r\n`);
    const names = received.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    for (const hop of hops.slice(1, -1)) expect(names).not.toContain(hop.split(':', 1)[0]!.toLowerCase());
    expect(echoedHeader(received, 'connection')).toEqual(['keep-alive']);
    expect(echoedHeader(received, 'x-end')).toEqual(['1']);
  });

  it('say TE: trailers on where the client can take trailers', async () => {
    expect(echoedHeader(await arriving('Connection: TE\r\nTE: gzip;q=0.5, Trailers\r\n'), 'te')).toEqual([
      'trailers',
    ]);
    expect(echoedHeader(await arriving('TE: gzip;q=0.5, xtrailers\r\n'), 'te')).toEqual([]);
  });
});

describe('case 17: Connection removes nothing that the gateway sets', () => {
  it.each([
    'close, x-user-id, X-TENANT, x-forwarded-for, x-forwarded-proto, host, content-length, authorization',
    'x-forwarded-host, x-forwarded-port, x-real-ip, x-request-id, x-gateway-version, transfer-encoding',
    ',,, cookie , accept;q=1, "x-quoted", X-A',
  ])('Connection: %s', async (connection) => {
    const lines = `Connection: ${connection}\r\nContent-Length: 5\r\nAuthorization: Bearer t\r\nCookie: a=1\r\nX-A: 1\r\n`;
    const received = await arriving(lines, 'POST', 'hello');
    expect(received.bodyBytes).toBe(5);
    expect(echoedHeader(received, 'host')).toEqual([new URL(echo.url).host]);
    expect(echoedHeader(received, 'content-length')).toEqual(['5']);
    expect(echoedHeader(received, 'x-forwarded-for')).toEqual(['127.0.0.1']);
    expect(echoedHeader(received, 'x-forwarded-proto')).toEqual(['http']);
    expect(echoedHeader(received, 'x-forwarded-host')).toEqual(['gw.test']);
    expect(echoedHeader(received, 'x-forwarded-port')).toEqual([String(gateway.port)]);
    expect(echoedHeader(received, 'x-real-ip')).toEqual(['127.0.0.1']);
    expect(echoedHeader(received, 'x-request-id')).toHaveLength(1);
    expect(echoedHeader(received, 'x-gateway-version')).toHaveLength(1);
  });

  it('removes the client’s own that it names', async () => {
    const received = await arriving('Connection: x-a\r\nX-A: 1\r\nX-B: 1\r\n');
    expect([echoedHeader(received, 'x-a'), echoedHeader(received, 'x-b')]).toEqual([[], ['1']]);
  });
});

describe('what an upstream’s answer may say', () => {
  let scene: RawScene;

  beforeAll(async () => {
    scene = await rawScene();
  });

  async function answerTo(reply: string) {
    scene.script.reply = reply;
    return (await scene.gateway.raw(rawGet('/p'))).responses[0]!;
  }

  it('reaches the client with bytes, order and repetition kept', async () => {
    const answer = await answerTo(
      'HTTP/1.1 200 Fine\tby me\r\nset-COOKIE: a\r\nSet-Cookie: b\r\nX-L: \xe9\r\nVary: a\r\nX-E:\r\nvary: b\r\nContent-Length: 2\r\n\r\nok',
    );
    expect(answer.statusText).toBe('Fine\tby me');
    expect(answer.rawHeaders.slice(0, 6)).toEqual([
      ['set-COOKIE', 'a'],
      ['Set-Cookie', 'b'],
      ['X-L', '\xe9'],
      ['Vary', 'a'],
      ['X-E', ''],
      ['vary', 'b'],
    ]);
  });

  it('is told from what the gateway says', async () => {
    const answer = await answerTo(
      'HTTP/1.1 200 OK\r\nX-Request-Id: fake\r\nX-Gateway-Proxy: fake\r\nDate: long ago\r\nContent-Length: 2\r\n\r\nok',
    );
    expect(answer.headerAll('x-request-id')).toEqual([expect.stringMatching(/^[0-9a-z]{26}$/)]);
    expect(answer.headerAll('x-gateway-proxy')).toEqual(['nexus-gateway']);
    expect(answer.headerAll('date')).toEqual(['long ago']);
  });

  it('is not hop by hop, and names nothing away that frames or that the gateway sets', async () => {
    const answer = await answerTo(
      'HTTP/1.1 200 OK\r\nConnection: X-Hop, content-length, x-request-id, close\r\nX-Hop: 1\r\nKeep-Alive: max=1\r\n' +
        'Proxy-Authenticate: x\r\nProxy-Connection: x\r\nUpgrade: h2\r\nTE: x\r\nX-End: 1\r\nContent-Length: 2\r\n\r\nok',
    );
    const names = answer.rawHeaders.map(([name]) => name.toLowerCase());
    for (const hop of ['x-hop', 'proxy-authenticate', 'proxy-connection', 'upgrade', 'te']) {
      expect(names).not.toContain(hop);
    }
    expect(answer.header('keep-alive')).toBe('timeout=120');
    expect(answer.header('connection')).toBe('keep-alive');
    expect([answer.header('x-end'), answer.header('content-length'), answer.text]).toEqual(['1', '2', 'ok']);
    expect(answer.headerAll('x-request-id')).toHaveLength(1);
  });

  it.each(['HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 200 \xe9t\xe9'])(
    'may have an odd reason phrase: %j',
    async (line) => {
      const answer = await answerTo(`${line}\r\nContent-Length: 2\r\n\r\nok`);
      expect([answer.status, answer.text]).toEqual([200, 'ok']);
    },
  );
});
