import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { onCore } from './cores.mjs';
import { headersFor } from './load/header.mjs';
import { memory } from './measure.mjs';
import { note } from './note.mjs';
import { accepts, freePort, HOST } from './ports.mjs';

const running = { servers: new Set(), upstream: new Set() };
const START_MS = 30_000;
const STOP_MS = 5000;
const SETTLE_MS = 3000;

/** Ends what `launch` started, all of it or one group, and resolves when it is gone. */
export async function stopAll(group) {
  for (const name of group ? [group] : Object.keys(running)) {
    await Promise.all([...running[name]].map(stop));
    running[name].clear();
  }
}

/** Ends one child; after some seconds without mercy. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(patience);
}

/** Starts a command on a core, its output in files of `dir`, and waits until its port accepts. Resolves to the child. */
export async function launch({ id, command, env, port, dir, core, group }) {
  const out = openSync(join(dir, 'out'), 'a');
  const errors = openSync(join(dir, 'err'), 'a');
  const [program, ...args] = onCore(core, command);
  const child = spawn(program, args, {
    cwd: dir,
    stdio: ['ignore', out, errors],
    env: { ...process.env, ...env },
  });
  running[group].add(child);
  for (const end = Date.now() + START_MS; !(await accepts(port)); await sleep(50)) {
    if (child.exitCode === null && Date.now() < end) continue;
    throw new Error(`${id} does not start: ${readFileSync(join(dir, 'err'), 'utf8').slice(-2000)}`);
  }
  return child;
}

/** Starts the servers on core 1, each with its configuration in a folder of its own, and asks each of them once. */
export async function startServers(definitions, { upstream, dir }) {
  const servers = [];
  for (const definition of definitions) servers.push(await startServer(definition, { upstream, dir }));
  await sleep(SETTLE_MS);
  for (const server of servers) server.idle = memory(server.pid);
  return servers;
}

/** One server, ready for load. */
export async function startServer(definition, { upstream, dir }) {
  const { id, label, version, paths = ['/api/users/1'], anonymous = false } = definition;
  const port = await freePort();
  const folder = join(dir, id);
  mkdirSync(folder, { recursive: true });
  const plan = definition.plan({ port, upstream, dir: folder });
  const child = await launch({ id, ...plan, port, dir: folder, core: 1, group: 'servers' });
  await check({ id, port, paths, anonymous });
  note(`${label} ${version} is up`);
  return { id, label, version, paths, anonymous, port, pid: child.pid, child, dir: folder };
}

async function check({ id, port, paths, anonymous }) {
  const headers = headersFor({ anonymous }).map((header) => header.split(': '));
  for (const path of [paths[0], paths.at(-1)]) {
    const response = await fetch(`http://${HOST}:${port}${path}`, { headers });
    const body = await response.text();
    if (response.status === 200 && body.length === 100) continue;
    throw new Error(`${id} answers ${response.status} ${JSON.stringify(body.slice(0, 200))} for ${path}`);
  }
}
