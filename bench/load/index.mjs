import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { onCore } from '../cores.mjs';
import { installed } from '../installed.mjs';
import { autocannon } from './autocannon.mjs';
import { headersFor } from './header.mjs';
import { wrk } from './wrk.mjs';

const run = promisify(execFile);

/** The load generator that is there. Throws where there is none. */
export function chooseLoad() {
  for (const load of [wrk, autocannon]) {
    if (installed(load.program)) return load;
  }
  throw new Error(
    'no load generator: install wrk (apt-get install wrk) or autocannon (npm install -g autocannon)',
  );
}

/** One burst at a constant rate from a process of its own; see constant-rate.mjs. */
export async function constantRate(server, { rate, seconds, connections }) {
  const { port, paths } = server;
  const headers = headersFor(server).join('\r\n');
  const program = new URL('constant-rate.mjs', import.meta.url).pathname;
  const args = [program, String(port), paths[0], String(rate), String(seconds), String(connections), headers];
  const [command, ...rest] = onCore(0, [process.execPath, ...args]);
  const { stdout } = await run(command, rest);
  return JSON.parse(stdout);
}
