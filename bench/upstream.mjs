import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installed, versionOf } from './installed.mjs';
import { freePort } from './ports.mjs';
import { nginxDocument } from './servers/nginx.mjs';
import { launch } from './start.mjs';

const BODY = 'x'.repeat(100);

/** Starts what everybody forwards to, on core 0: it answers 100 bytes to every request. Resolves to its port and name. */
export async function startUpstream(root) {
  const dir = join(root, 'upstream');
  mkdirSync(dir);
  const port = await freePort();
  const { label, command } = installed('nginx') ? nginx(dir, port) : node(port);
  await launch({ id: 'upstream', command, port, dir, core: 0, group: 'upstream' });
  return { label, port, paths: ['/api/users/1'] };
}

function nginx(dir, port) {
  const file = join(dir, 'nginx.conf');
  const server = `server { listen 127.0.0.1:${port} backlog=1024; location / { return 200 "${BODY}"; } }`;
  writeFileSync(file, nginxDocument(dir, server));
  return {
    label: `nginx ${versionOf('nginx', '-v')}`,
    command: ['nginx', '-p', dir, '-c', file, '-e', 'stderr'],
  };
}

function node(port) {
  const program = new URL('servers/programs/upstream.mjs', import.meta.url).pathname;
  return { label: `node:http ${process.version}`, command: [process.execPath, program, String(port), BODY] };
}
