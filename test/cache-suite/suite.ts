import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';

import { getResults, runTests } from 'http-cache-tests/client/runner.mjs';
import groups from 'http-cache-tests/tests/index.mjs';
import surrogateControl from 'http-cache-tests/tests/surrogate-control.mjs';

import { closeAtEnd, freePort, request, startTestGateway, waitFor } from '../support/index.js';

/** Tests at a time: half of them pause for three seconds, during which others run. */
const AT_A_TIME = 120;

export interface CacheTestResult {
  readonly id: string;
  readonly group: string;
  readonly kind: 'required' | 'optimal' | 'check';
  /** Null for a pass. */
  readonly error: string | null;
}

const suite = [...groups, surrogateControl];
const resolver = createRequire(createRequire(import.meta.url).resolve('http-cache-tests/package.json'));

/** Starts the suite's origin server and a gateway in front of it, and runs all tests that are not for browsers. */
export async function runCacheSuite(cache: object): Promise<CacheTestResult[]> {
  const origin = await startOrigin();
  const gateway = await startTestGateway({
    upstreams: { origin: { backends: [{ url: origin }] } },
    routes: [
      { path: '/test', upstream: 'origin', cache },
      { path: '/config', upstream: 'origin' },
      { path: '/state', upstream: 'origin' },
    ],
  });
  await runTests(suite, resolver('node-fetch'), false, gateway.url, AT_A_TIME);
  return judged(getResults());
}

async function startOrigin(): Promise<string> {
  const port = await freePort();
  const origin = spawn(process.execPath, [resolver.resolve('./server/server.mjs')], {
    env: { npm_config_protocol: 'http', npm_config_port: String(port), npm_config_pidfile: devNull },
    stdio: 'ignore',
  });
  closeAtEnd(() => origin.kill());
  const url = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    request(`${url}/state/none`).then(
      () => true,
      () => false,
    );
  await waitFor(answers, "the suite's origin server answers");
  return url;
}

function judged(results: ReturnType<typeof getResults>): CacheTestResult[] {
  return suite.flatMap(({ id: group, tests }) =>
    tests
      .filter(({ browser_only: browserOnly }) => browserOnly !== true)
      .map(({ id, kind = 'required' }) => ({ id, group, kind, error: errorOf(results[id]) })),
  );
}

function errorOf(result: true | [kind: string, message: string] | undefined): string | null {
  if (result === true) return null;
  return result ? result.join(': ') : 'it did not run';
}
