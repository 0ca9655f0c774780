import { describe, expect, it } from 'vitest';

import { connectRaw, echoUpstream, request, startTestGateway, type TestGateway } from '../support/index.js';

/** 5 requests a minute for each client ip. */
async function limited(server: object = {}, path = '/a') {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    server,
    routes: [{ path, rate_limit: { requests: 5, per: '1m' }, backends: [upstream.backend] }],
  });
  return { upstream, gateway };
}

/** The statuses of requests to /a, one for each of these X-Forwarded-For. */
async function statuses(gateway: TestGateway, forwarded: readonly string[]): Promise<number[]> {
  const answers: number[] = [];
  for (const value of forwarded) {
    const headers: Record<string, string> = value === '' ? {} : { 'x-forwarded-for': value };
    answers.push((await gateway.get('/a', { headers, agent: false })).status);
  }
  return answers;
}

const FIVE_PASS = [200, 200, 200, 200, 200, 429, 429, 429, 429, 429];
const TRUSTING = { trusted_proxies: ['127.0.0.1/32'] };

describe('case 50: a client cannot choose the key of its limit', () => {
  it('by X-Forwarded-For, from another port each time', async () => {
    const { gateway, upstream } = await limited();
    const forwarded = Array.from({ length: 10 }, (_, index) => `203.0.113.${index}`);
    expect(await statuses(gateway, forwarded)).toEqual(FIVE_PASS);
    expect(upstream.requests).toHaveLength(5);
    expect(await gateway.metric('gateway_rate_limited_total', { path: '/a' })).toBe(5);
  });

  it.each(['x-real-ip', 'forwarded', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip'])(
    'by %s',
    async (name) => {
      const { gateway } = await limited();
      const answers: number[] = [];
      for (let index = 0; index < 10; index++) {
        const value = name === 'forwarded' ? `for=203.0.113.${index}` : `203.0.113.${index}`;
        answers.push((await gateway.get('/a', { headers: { [name]: value } })).status);
      }
      expect(answers).toEqual(FIVE_PASS);
    },
  );

  it('by how it writes the path', async () => {
    const { gateway } = await limited({}, '/{any}');
    const paths = ['/a', '/a/', '/A', '/%61', '/b', '/a?x=1', '/a/b', '/%41'];
    const answers: number[] = [];
    for (const path of paths) answers.push((await gateway.get(path)).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  });

  it('by the method', async () => {
    const { gateway } = await limited();
    const methods = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'];
    const answers: number[] = [];
    for (const method of methods) answers.push((await gateway.request('/a', { method })).status);
    expect(answers).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });

  it('by putting addresses in front of what a trusted proxy appends', async () => {
    const { gateway } = await limited(TRUSTING);
    const forged = Array.from({ length: 10 }, (_, index) => `10.0.0.${index}, 198.51.100.2`);
    expect(await statuses(gateway, forged)).toEqual(FIVE_PASS);
  });
});

describe('case 50: behind a trusted proxy', () => {
  it('each client has a bucket of its own', async () => {
    const { gateway } = await limited(TRUSTING);
    expect(await statuses(gateway, Array<string>(10).fill('198.51.100.2'))).toEqual(FIVE_PASS);
    expect(await statuses(gateway, Array<string>(10).fill('198.51.100.3'))).toEqual(FIVE_PASS);
  });

  it.each(['unknown', '', ',', '_hidden', '999.1.1.1', '198.51.100.2, garbage', '<script>', '%00'])(
    'garbage (%j) counts for the peer, as no header does',
    async (garbage) => {
      const { gateway } = await limited(TRUSTING);
      await statuses(gateway, Array<string>(5).fill(garbage));
      expect(await statuses(gateway, [garbage, ''])).toEqual([429, 429]);
      expect(await statuses(gateway, ['198.51.100.77'])).toEqual([200]);
    },
  );

  it('one address written in two ways is one client', async () => {
    const { gateway } = await limited(TRUSTING);
    const forms = [
      '2001:db8::1',
      '2001:DB8:0:0:0:0:0:1',
      '[2001:db8::1]',
      '2001:db8::ffff',
      '[2001:db8::1]:443',
    ];
    await statuses(gateway, forms);
    expect(await statuses(gateway, ['2001:db8::2', '2001:db8:0:1::1'])).toEqual([429, 200]);
    await statuses(gateway, [
      '::ffff:198.51.100.9',
      '198.51.100.9',
      '198.51.100.9:80',
      '::ffff:c633:6409',
      '198.51.100.9',
    ]);
    expect(await statuses(gateway, ['198.51.100.9'])).toEqual([429]);
  });
});

it('a client over IPv6 is known by its address (case 15)', async () => {
  const upstream = await echoUpstream();
  const gateway = await startTestGateway({
    server: { host: '::' },
    routes: [{ path: '/a', rate_limit: { requests: 2, per: '1m' }, backends: [upstream.backend] }],
  });
  const url = `http://[::1]:${gateway.port}/a`;
  const answers = [await request(url), await request(url), await request(url)];
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 429]);
  // Over IPv4 the same socket shows a mapped address; it is another client, and written as what it is.
  expect((await request(`http://127.0.0.1:${gateway.port}/a`)).status).toBe(200);
  const forwarded = upstream.requests.map(
    ({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('X-Forwarded-For') + 1],
  );
  expect(forwarded).toEqual(['::1', '::1', '127.0.0.1']);
  await gateway.logged('request completed', { remote_ip: '::1', status: 429 });
  await gateway.logged('request completed', { remote_ip: '127.0.0.1', status: 200 });
  const client = await connectRaw(gateway.port, { host: '::1' });
  await client.write('GET /b HTTP/1.1\r\nHost: h\r\n\r\n');
  const local = client.socket.localPort;
  await gateway.logged('request completed', { remote_addr: `[::1]:${local}` });
});
