import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';
import { ADMIN_KEY, keyScene, SECRET } from './support.js';

describe('roles', () => {
  it.each([
    [['reader'], 200, 200],
    [['admin'], 403, 200],
    [['admin', 'reader'], 200, 200],
    [['Reader'], 403, 403],
    [['owner'], 403, 403],
  ])('%j', async (roles, reader, admin) => {
    const { gateway } = await keyScene({ auth: 'api_key', roles });
    const status = async (key: string): Promise<number> =>
      (await gateway.get('/p', { headers: { 'x-api-key': key } })).status;
    expect(await status(SECRET)).toBe(reader);
    expect(await status(ADMIN_KEY)).toBe(admin);
  });

  it('come after the credential: 401 before 403', async () => {
    const { gateway, upstream } = await keyScene({ auth: 'api_key', roles: ['admin'] });
    expect((await gateway.get('/p')).status).toBe(401);
    const answer = await gateway.get('/p', { headers: { 'x-api-key': SECRET } });
    expect(answer.json()).toMatchObject({
      code: 'insufficient_privileges',
      error: 'insufficient privileges',
    });
    expect(upstream.requests).toHaveLength(0);
  });

  it('cannot be claimed', async () => {
    const { gateway } = await keyScene({ auth: 'api_key', roles: ['admin'] });
    const headers = { 'x-api-key': SECRET, 'x-user-roles': 'admin', roles: 'admin' };
    expect((await gateway.get('/p?roles=admin', { headers })).status).toBe(403);
  });
});

async function listed(ip: object, server: object = {}, route: object = {}): Promise<TestGateway> {
  const upstream = await echoUpstream();
  return startTestGateway({
    server,
    routes: [{ path: '/p', ip, backends: [upstream.backend], ...route }],
  });
}

const TRUSTING = { trusted_proxies: ['127.0.0.1/32'] };

describe('address lists', () => {
  it.each([
    [{ allow: ['127.0.0.0/8'] }, 200],
    [{ allow: ['10.0.0.0/8'] }, 403],
    [{ deny: ['127.0.0.1'] }, 403],
    [{ deny: ['10.0.0.0/8'] }, 200],
    [{ allow: ['127.0.0.0/8'], deny: ['127.0.0.1/32'] }, 403],
    [{ allow: ['127.0.0.1'], deny: ['0.0.0.0/0'] }, 403],
    [{ allow: [], deny: [] }, 200],
    [null, 200],
  ])('%j: %i', async (ip, status) => {
    const gateway = await listed(ip!);
    const answer = await gateway.get('/p');
    expect(answer.status).toBe(status);
    expect(answer.json()['code']).toBe(status === 403 ? 'forbidden' : undefined);
  });

  it.each([
    ['203.0.113.7', 200],
    ['203.0.113.8, 198.51.100.1', 403],
    ['10.0.0.1, 203.0.113.7', 200],
    ['::ffff:203.0.113.7', 200],
    ['2001:db8:1::5', 200],
    ['2001:db8:2::5', 403],
    ['203.0.113.66', 403],
    ['garbage', 403],
  ])('judge the client that a trusted proxy names: %s', async (forwarded, status) => {
    const ip = { allow: ['203.0.113.0/24', '2001:db8:1::/48'], deny: ['203.0.113.66'] };
    const gateway = await listed(ip, TRUSTING);
    expect((await gateway.get('/p', { headers: { 'x-forwarded-for': forwarded } })).status).toBe(status);
  });

  it('believe nobody else', async () => {
    const gateway = await listed({ allow: ['203.0.113.0/24'] });
    for (const name of ['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip'])
      expect((await gateway.get('/p', { headers: { [name]: '203.0.113.7' } })).status).toBe(403);
  });

  it('come before limits: a stranger uses nothing up', async () => {
    const gateway = await listed({ deny: ['203.0.113.0/24'] }, TRUSTING, {
      rate_limit: { requests: 1, per: '1h', by: 'route' },
    });
    const from = async (ip: string): Promise<number> =>
      (await gateway.get('/p', { headers: { 'x-forwarded-for': ip } })).status;
    expect([await from('203.0.113.1'), await from('203.0.113.2'), await from('198.51.100.1')]).toEqual([
      403, 403, 200,
    ]);
    expect(await from('198.51.100.1')).toBe(429);
  });
});
