import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { cpu } from './measure.mjs';
import { note } from './note.mjs';
import { startServer, stop } from './start.mjs';

const SECONDS = 8;

/** Names of node's native functions that hand bytes to the kernel. */
const WRITES = /^(write|writev|write(Utf8|Latin1|Ascii|Ucs2)String|writeBuffer)$/;

/**
 * Where the time of "nothing on" goes: a CPU profile of one burst. Resolves to the groups, `share` of the busy time and
 * `cpu` (microseconds a request, profiler and all), and the busiest functions. Null where the gateway is not chosen.
 */
export async function profile(definitions, { upstream, dir }, load, { connections }) {
  const nexus = definitions.find(({ id }) => id === 'nexus');
  if (!nexus) return null;
  note('profile');
  const folder = join(dir, 'profile');
  const plan = (context) => withProfiler(nexus.plan(context), folder);
  const server = await startServer({ ...nexus, id: 'nexus-profiled', plan }, { upstream, dir });
  await load.run(server, { seconds: 2, connections, dir });
  const before = cpu(server.pid);
  const { requests } = await load.run(server, { seconds: SECONDS, connections, dir });
  const each = (cpu(server.pid) - before) / requests;
  await stop(server.child);
  const file = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
  return summary(JSON.parse(readFileSync(join(folder, file), 'utf8')), each);
}

function withProfiler({ command: [node, ...rest] }, folder) {
  return { command: [node, '--cpu-prof', `--cpu-prof-dir=${folder}`, ...rest] };
}

function summary({ nodes, samples, timeDeltas, startTime, endTime }, each) {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  // Start-up is no part of it: the last seconds are the burst.
  const from = endTime - startTime - SECONDS * 1e6;
  const groups = new Map();
  const functions = new Map();
  let busy = 0;
  let at = 0;
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i];
    const frame = byId.get(id);
    if (at < from || frame.functionName === '(idle)') continue;
    busy += timeDeltas[i];
    add(groups, groupOf(frame), timeDeltas[i]);
    add(functions, `${frame.functionName || '(anonymous)'} ${place(frame.url)}`.trim(), timeDeltas[i]);
  }
  const rows = (map) =>
    [...map]
      .toSorted((a, b) => b[1] - a[1])
      .map(([name, time]) => ({ name, share: time / busy, cpu: (each * time) / busy }));
  return { each, groups: rows(groups), functions: rows(functions).slice(0, 15) };
}

function add(map, key, value) {
  map.set(key, (map.get(key) ?? 0) + value);
}

/** The group that the time of a function itself is counted in. */
function groupOf({ functionName, url }) {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'outside JavaScript: reads, poll, start of callbacks';
  if (url === '') return WRITES.test(functionName) ? 'socket writes' : 'other native functions';
  if (url.startsWith('node:')) return "node's own JavaScript (http, streams, timers)";
  const module = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (module) return module === 'fastify' ? 'Fastify' : 'other packages';
  return "the gateway's own code";
}

function place(url) {
  return url.replace(/^.*node_modules\//, '').replace(/^.*\/dist\//, '');
}
