import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { installed, versionOf } from '../installed.mjs';

export function caddy() {
  const there = installed('caddy');
  return {
    id: 'caddy',
    label: 'Caddy, GOMAXPROCS=1',
    version: there ? versionOf('caddy', 'version') : '',
    missing: there ? null : 'apt-get install caddy',
    plan({ port, upstream, dir }) {
      const file = join(dir, 'Caddyfile');
      writeFileSync(file, document(port, upstream));
      return {
        command: ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
        env: { GOMAXPROCS: '1', HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir },
      };
    },
  };
}

const document = (port, upstream) => `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy 127.0.0.1:${upstream} {
    transport http {
      keepalive_idle_conns_per_host 64
    }
  }
}
`;
