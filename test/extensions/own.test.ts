import { describe, expect, it } from 'vitest';

import { echoUpstream, startTestGateway, type TestGateway } from '../support/index.js';

async function gatewayWith(route: object): Promise<TestGateway> {
  const { backend } = await echoUpstream({
    respond: (_request, response) => void response.writeHead(200, { 'server-timing': 'db;dur=1' }).end('ok'),
  });
  return startTestGateway({ routes: [{ path: '/', backends: [backend], ...route }] });
}

describe('require-header', () => {
  const guarded = (options: object): Promise<TestGateway> =>
    gatewayWith({ guards: [{ name: 'require-header', options }] });

  it('lets through what carries the header', async () => {
    const gateway = await guarded({ name: 'X-Tenant' });
    expect((await gateway.get('/', { headers: { 'x-tenant': 'a' } })).status).toBe(200);
    for (const headers of [{}, { 'x-tenant': '' }]) {
      expect((await gateway.get('/', { headers })).json()).toMatchObject({
        status: 400,
        code: 'bad_request',
        detail: 'the header X-Tenant is required',
      });
    }
  });

  it('asks for one of a few values', async () => {
    const gateway = await guarded({ name: 'x-plan', values: ['gold', 'silver'], status: 403 });
    expect((await gateway.get('/', { headers: { 'x-plan': 'silver' } })).status).toBe(200);
    const refused = await gateway.get('/', { headers: { 'x-plan': 'tin' } });
    expect(refused.json()).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it.each([
    [{ name: 'x y' }, 'options.name: must be the name of a header'],
    [{ name: 'x', status: 200 }, 'options.status: must be one of the following values: 400, 403'],
    [{ name: 'x', values: [1] }, 'options.values: each value in values must be a string'],
    [{ name: 'x', value: ['a'] }, 'options.value: is not a known option, did you mean values?'],
  ])('refuses %j', async (options, message) => {
    await expect(guarded(options)).rejects.toThrow(`routes[0].guards[0].${message}`);
  });
});

describe('server-timing', () => {
  it('adds how long the upstream took to what it said itself', async () => {
    const gateway = await gatewayWith({ interceptors: ['server-timing'] });
    const [own, added] = (await gateway.get('/')).headerAll('server-timing');
    expect(own).toBe('db;dur=1');
    expect(added).toMatch(/^upstream;dur=\d+\.\d$/);
  });

  it('under a name of choice', async () => {
    const use = { name: 'server-timing', options: { metric: 'backend' } };
    const gateway = await gatewayWith({ interceptors: [use] });
    expect((await gateway.get('/')).header('server-timing')).toMatch(/backend;dur=/);
  });
});

describe('names', () => {
  it('that are not known stop the start and list those that are', async () => {
    const start = gatewayWith({ guards: ['requireheader'], interceptors: ['nothing-like-it'] });
    await expect(start).rejects.toThrow(
      /guards\[0\]: "requireheader" is not registered, did you mean require-header\? expected one of require-header\n.*interceptors\[0\]: "nothing-like-it" is not registered, expected one of server-timing$/,
    );
  });

  it('and options come from groups too, named where they stand', async () => {
    const { backend } = await echoUpstream();
    const group = (options: object): object => ({
      groups: [
        {
          path: '/g',
          guards: [{ name: 'require-header', options }],
          routes: [
            { path: '/a', backends: [backend] },
            { path: '/b', backends: [backend], guards: null },
          ],
        },
      ],
    });
    const gateway = await startTestGateway(group({ name: 'x-a' }));
    expect([(await gateway.get('/g/a')).status, (await gateway.get('/g/b')).status]).toEqual([400, 200]);
    await expect(startTestGateway(group({}))).rejects.toThrow(
      /^test\.json:1:\d+ groups\[0\]\.guards\[0\]\.options: the option name is missing \(must be the name of a header\)$/,
    );
  });

  it('and options never show what a reference stands for', async () => {
    const { backend } = await echoUpstream();
    const use = { name: 'require-header', options: { name: '${SECRET}' } };
    const document = { routes: [{ path: '/', backends: [backend], guards: [use] }] };
    const start = startTestGateway(document, { env: { SECRET: 'hush hush' } });
    await expect(start).rejects.toThrow(/options\.name: does not fit the option$/);
  });
});
