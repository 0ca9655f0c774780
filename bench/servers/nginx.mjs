import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installed, versionOf } from '../installed.mjs';

export function nginx() {
  const there = installed('nginx');
  return {
    id: 'nginx',
    label: 'nginx, 1 worker',
    version: there ? versionOf('nginx', '-v') : '',
    missing: there ? null : 'apt-get install nginx',
    plan({ port, upstream, dir }) {
      const file = join(dir, 'nginx.conf');
      writeFileSync(file, nginxDocument(dir, proxy(port, upstream)));
      return { command: ['nginx', '-p', dir, '-c', file, '-e', 'stderr'] };
    },
  };
}

function proxy(port, upstream) {
  return `upstream backend { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`;
}

/** A document for one worker without an access log, its files in `dir`. */
export function nginxDocument(dir, servers) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `${process.getuid() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;
  ${temporary.map((name) => `${name}_temp_path ${dir}/${name};`).join(' ')}
  ${servers}
}
`;
}
