import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installed, versionOf } from '../installed.mjs';

export function haproxy() {
  const there = installed('haproxy');
  return {
    id: 'haproxy',
    label: 'HAProxy, 1 thread',
    version: there ? versionOf('haproxy', '-v') : '',
    missing: there ? null : 'apt-get install haproxy',
    plan({ port, upstream, dir }) {
      const file = join(dir, 'haproxy.cfg');
      writeFileSync(file, document(port, upstream));
      return { command: ['haproxy', '-db', '-f', file] };
    },
  };
}

const document = (port, upstream) => `global
  nbthread 1
defaults
  mode http
  http-reuse always
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:${port}
  default_backend back
backend back
  server one 127.0.0.1:${upstream}
`;
