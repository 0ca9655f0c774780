import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { onCore } from '../cores.mjs';
import { versionOf } from '../installed.mjs';
import { HOST } from '../ports.mjs';
import { headersFor } from './header.mjs';

const run = promisify(execFile);
const MILLISECONDS = { us: 0.001, ms: 1, s: 1000 };

export const wrk = {
  program: 'wrk',
  get label() {
    return `wrk ${versionOf('wrk', '-v')}`;
  },

  /** One burst: `requests`, `rate` a second, `p50` and `p99` in milliseconds, `errors`. */
  async run(server, { seconds, connections, dir }) {
    const { id, port, paths } = server;
    const headers = headersFor(server).flatMap((header) => ['-H', header]);
    const script = paths.length > 1 ? ['-s', rotation(join(dir, `${id}.lua`), paths)] : [];
    const url = `http://${HOST}:${port}${paths[0]}`;
    const args = ['-t1', `-c${connections}`, `-d${seconds}`, '--latency', ...headers, ...script, url];
    const [program, ...rest] = onCore(0, ['wrk', ...args]);
    const { stdout } = await run(program, rest);
    return {
      requests: number(/(\d+) requests in/, stdout),
      rate: number(/Requests\/sec:\s+([\d.]+)/, stdout),
      p50: duration(/50%\s+([\d.]+)(us|ms|s)/, stdout),
      p99: duration(/99%\s+([\d.]+)(us|ms|s)/, stdout),
      errors: errorsOf(stdout),
    };
  },
};

/** A script that asks for the paths in turn. */
function rotation(file, paths) {
  writeFileSync(
    file,
    `local paths = {${paths.map((path) => `"${path}"`).join(',')}}
local ready, i = {}, 0
init = function() for n, path in ipairs(paths) do ready[n] = wrk.format("GET", path) end end
request = function() i = i % #ready + 1; return ready[i] end
`,
  );
  return file;
}

function number(pattern, text) {
  const match = pattern.exec(text);
  if (!match) throw new Error(`wrk says: ${text}`);
  return Number(match[1]);
}

function duration(pattern, text) {
  const match = pattern.exec(text);
  if (!match) throw new Error(`wrk says: ${text}`);
  return Number(match[1]) * MILLISECONDS[match[2]];
}

function errorsOf(text) {
  const refused = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
  const sockets =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text)?.slice(1) ?? [];
  return sockets.reduce((sum, count) => sum + Number(count), refused);
}
