import { expect, it } from 'vitest';

import { echoUpstream, startTestGateway } from '../support/index.js';

const QUERY = 'q=a+b%20c&e=%E2%82%AC&arr[]=1&arr[]=2&empty=&flag&x=%26%3D&d=1&d=2';

it('case 10: query bytes stay as they are, and an added parameter keeps the others', async () => {
  const upstream = await echoUpstream();
  const { backend } = upstream;
  const gateway = await startTestGateway({
    routes: [
      { path: '/a', backends: [backend] },
      { path: '/b', backends: [backend], transform: { request: { query: { add: { src: 'gw' } } } } },
    ],
  });
  await gateway.get(`/a?${QUERY}`);
  await gateway.get(`/b?${QUERY}`);
  expect(upstream.requests.map(({ url }) => url)).toEqual([`/a?${QUERY}`, `/b?${QUERY}&src=gw`]);
});
