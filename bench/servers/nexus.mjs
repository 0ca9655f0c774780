import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  cached,
  everythingOn,
  nothingOn,
  trafficReady,
  twoBackends,
  withRoutes,
} from './nexus-documents.mjs';

/** What `npm run serve` and the image start the gateway with. */
export const NODE_FLAGS = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  '--no-flush-bytecode',
  '--no-allocation-site-pretenuring',
];

const ROOT = new URL('../../', import.meta.url).pathname;
const MAIN = join(ROOT, 'dist/src/main.js');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The gateway, in the shapes that are compared. */
export function nexusServers() {
  return [
    server('nexus', 'Nexus Gateway, nothing on', nothingOn),
    server('nexus-no-flags', 'Nexus Gateway, nothing on, no node flags', nothingOn, { flags: [] }),
    server('nexus-two', 'Nexus Gateway, two backends', twoBackends),
    server('nexus-traffic', 'Nexus Gateway, two backends, least connections, breaker, retry', trafficReady),
    server('nexus-cache', 'Nexus Gateway, hits of its cache', cached, { anonymous: true }),
    server('nexus-everything', 'Nexus Gateway, everything on', everythingOn),
    server('nexus-1000', 'Nexus Gateway, 1,000 routes', withRoutes(1000), { paths: pathsOf(1000) }),
    server('nexus-10', 'Nexus Gateway, 10 routes', withRoutes(10), { paths: pathsOf(10) }),
    server('nexus-5000', 'Nexus Gateway, 5,000 routes', withRoutes(5000), { paths: pathsOf(5000) }),
  ];
}

function server(id, label, document, { flags = NODE_FLAGS, paths, anonymous } = {}) {
  return {
    id,
    label,
    version,
    ...(paths && { paths }),
    ...(anonymous && { anonymous }),
    missing: existsSync(MAIN) ? null : 'npm run build',
    plan({ port, upstream, dir }) {
      const file = join(dir, 'gateway.json');
      writeFileSync(file, JSON.stringify(document({ port, upstream }), null, 2));
      return { command: [process.execPath, ...flags, MAIN, '--config', file] };
    },
  };
}

/** Ten paths that fall on routes from the first to the last, asked for in turn. */
function pathsOf(count) {
  return Array.from({ length: 10 }, (_, i) => `/api/service${Math.floor((i * (count - 1)) / 9)}/items/${i}`);
}
