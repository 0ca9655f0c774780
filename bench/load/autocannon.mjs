import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { onCore } from '../cores.mjs';
import { versionOf } from '../installed.mjs';
import { HOST } from '../ports.mjs';
import { headersFor } from './header.mjs';

const run = promisify(execFile);

/** Where there is no wrk. It asks for the first path only, and takes more of core 0 than wrk does. */
export const autocannon = {
  program: 'autocannon',
  get label() {
    return `autocannon ${versionOf('autocannon', '--version')}`;
  },

  /** One burst: `requests`, `rate` a second, `p50` and `p99` in milliseconds, `errors`. */
  async run(server, { seconds, connections }) {
    const { port, paths } = server;
    const headers = headersFor(server).flatMap((header) => ['-H', header]);
    const url = `http://${HOST}:${port}${paths[0]}`;
    const args = ['-j', '-n', '-c', String(connections), '-d', String(seconds), ...headers, url];
    const [program, ...rest] = onCore(0, ['autocannon', ...args]);
    const { stdout } = await run(program, rest);
    const { requests, latency, non2xx, errors, timeouts, duration } = JSON.parse(stdout);
    return {
      requests: requests.total,
      rate: requests.total / duration,
      p50: latency.p50,
      p99: latency.p99,
      errors: non2xx + errors + timeouts,
    };
  },
};
