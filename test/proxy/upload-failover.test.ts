import { expect, it } from 'vitest';

import { untilAtRest } from '../support/at-rest.js';
import { rawUpstream, type RawUpstream, startTestGateway } from '../support/index.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Answers each request once it has come whole. */
function answering(): Promise<RawUpstream> {
  return rawUpstream(async (connection) => {
    for (let at = 0; ; at++) {
      await connection.until(() => connection.requests[at]?.complete, 'a request', { timeoutMs: 20_000 });
      await connection.write(OK);
    }
  });
}

it('an upload of which nothing was sent goes to another backend when its own stops', async () => {
  const [first, second] = [await answering(), await answering()];
  const gateway = await startTestGateway({
    routes: [{ path: '/', backends: [first.backend, second.backend] }],
  });
  // Each has a connection that was used; the next request is the first backend's.
  for (const path of ['/1', '/2']) expect((await gateway.get(path)).status).toBe(200);
  const client = await gateway.connect();
  await client.write('POST /up HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n');
  await expect.poll(() => gateway.metric('gateway_backend_in_flight')).toBe(1);
  await first.stop();
  await gateway.logged('upstream request failed', { path: '/up' });
  await client.write('abc');
  expect((await client.response()).status).toBe(200);
  expect(second.requests.map(({ target }) => target)).toContain('/up');
  await untilAtRest(gateway);
});
