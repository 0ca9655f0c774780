#!/usr/bin/env node
// `npm run bench`: measures the gateway beside others in one run. `npm run bench -- --help` lists the options.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { setPatience } from './calm.mjs';
import { chooseLoad } from './load/index.mjs';
import { machine } from './machine.mjs';
import { measureLoad } from './measure-load.mjs';
import { measureRates } from './measure-rates.mjs';
import { note } from './note.mjs';
import { parseOptions, USAGE } from './options.mjs';
import { profile } from './profile.mjs';
import { report } from './report.mjs';
import { allServers, choose } from './servers/index.mjs';
import { startServers, stopAll } from './start.mjs';
import { startUpstream } from './upstream.mjs';

const options = readOptions();
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const dir = mkdtempSync(join(tmpdir(), 'nexus-bench-'));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(1));
try {
  await main();
  await end(0);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  await end(1);
}

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

async function end(code) {
  await stopAll();
  rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}

async function main() {
  const load = chooseLoad();
  setPatience(options.patience);
  const upstream = await startUpstream(dir);
  const chosen = choose(allServers(), options.only);
  const result = { machine: machine(), load: load.label, upstream: upstream.label, options };
  if (options.parts.includes('load') || options.parts.includes('rate')) {
    const servers = await startServers(chosen, { upstream: upstream.port, dir });
    if (options.parts.includes('load'))
      result.load_runs = await measureLoad(servers, load, { ...options, dir });
    if (options.parts.includes('rate')) result.rate_runs = await measureRates(servers, upstream, options);
    result.servers = servers.map(({ id, label, version, idle }) => ({ id, label, version, idle }));
    await stopAll('servers');
  }
  if (options.parts.includes('profile')) {
    result.profile = await profile(chosen, { upstream: upstream.port, dir }, load, options);
  }
  process.stdout.write(report(result));
  if (options.json) writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
  note('done');
}
