import { note } from '../note.mjs';
import { caddy } from './caddy.mjs';
import { fastGateway, fastGatewayTuned } from './fast-gateway.mjs';
import { fastifyHttpProxy } from './fastify-http-proxy.mjs';
import { haproxy } from './haproxy.mjs';
import { httpProxyMiddleware } from './http-proxy-middleware.mjs';
import { NODE_FLAGS, nexusServers } from './nexus.mjs';
import { nginx } from './nginx.mjs';
import { nodeAnswer } from './node-answer.mjs';

/**
 * Everybody who is measured. A server has an `id`, a `label`, a `version`, `missing` (why it cannot run here, or null),
 * `plan({port, upstream, dir})`, which writes its configuration into `dir` and gives the `command` (and `env`),
 * and the `paths` that are asked for, where they are others than the usual one.
 */
export function allServers() {
  return [
    nginx(),
    haproxy(),
    caddy(),
    fastGateway(),
    fastGatewayTuned(),
    fastifyHttpProxy(),
    httpProxyMiddleware(),
    nodeAnswer(NODE_FLAGS),
    ...nexusServers(),
  ];
}

/** Those of `only` (null: all) that are installed; says which are not. Throws for an unknown id. */
export function choose(servers, only) {
  const unknown = only?.find((id) => !servers.some((server) => server.id === id));
  if (unknown) throw new Error(`no server "${unknown}", there are ${servers.map(({ id }) => id).join(', ')}`);
  return servers.filter((server) => {
    if (only && !only.includes(server.id)) return false;
    if (server.missing) note(`${server.label} is left out: ${server.missing}`);
    return !server.missing;
  });
}
