import { JWT_SECRET } from '../load/header.mjs';

/** Documents of the gateway, as objects that its JSON files hold. */

const backend = (upstream) => ({ url: `http://127.0.0.1:${upstream}` });

const pair = (upstream) => ['a', 'b'].map((id) => ({ id, ...backend(upstream) }));

/** One route, no policy, and none of what is on unless it is switched off. */
export function nothingOn({ port, upstream }) {
  return bare(port, [{ id: 'api', path: '/api', backends: [backend(upstream)] }]);
}

/** `count` routes with a parameter each, over one upstream, else nothing on. */
export const withRoutes =
  (count) =>
  ({ port, upstream }) => ({
    ...bare(
      port,
      Array.from({ length: count }, (_, i) => ({
        id: `service-${i}`,
        path: `/api/service${i}/items/{id}`,
        upstream: 'one',
      })),
    ),
    upstreams: { one: { backends: [backend(upstream)] } },
  });

/** Two backends in turn, nothing on. */
export function twoBackends({ port, upstream }) {
  return bare(port, [{ id: 'api', path: '/api', backends: pair(upstream) }]);
}

/** The same with what keeps traffic going, ready and never needed: least connections, breakers, retries. */
export function trafficReady({ port, upstream }) {
  const backends = pair(upstream);
  const armed = { balancing: 'least_connections', circuit_breaker: {}, retry: {} };
  return bare(port, [{ id: 'api', path: '/api', backends, ...armed }]);
}

/** Nothing but the cache: all but the first request are answered from it. */
export function cached({ port, upstream }) {
  return bare(port, [{ id: 'api', path: '/api', backends: [backend(upstream)], cache: { ttl: '1h' } }]);
}

/**
 * Limits over all, for each user and each address, tokens, roles, changed headers, metrics, access log (its file is
 * where stdout goes), security headers, a guard.
 */
export function everythingOn({ port, upstream }) {
  const limit = { requests: 1_000_000, per: '1s' };
  return {
    server: { host: '127.0.0.1', port },
    admin: { enabled: false },
    auth: { jwt: { algorithms: ['HS256'], secret: JWT_SECRET, issuer: 'bench', audience: 'api' } },
    rate_limit_global: limit,
    rate_limit_per_user: limit,
    routes: [
      {
        id: 'api',
        path: '/api',
        auth: 'jwt',
        roles: ['reader'],
        rate_limit: { ...limit, by: 'ip' },
        transform: {
          request: { headers: { set: { 'x-tenant': 't1' }, remove: ['x-debug'] } },
          response: { headers: { set: { 'x-served-by': 'gateway' } } },
        },
        guards: [{ name: 'require-header', options: { name: 'x-team', values: ['blue', 'green'] } }],
        backends: [backend(upstream)],
      },
    ],
  };
}

function bare(port, routes) {
  return {
    server: { host: '127.0.0.1', port },
    admin: { enabled: false },
    logging: { access_log: false },
    metrics: { enabled: false },
    security_headers: false,
    routes,
  };
}
