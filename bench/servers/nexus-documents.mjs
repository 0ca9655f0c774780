/** Documents of the gateway, as objects that its JSON files hold. */

const backend = (upstream) => ({ url: `http://127.0.0.1:${upstream}` });

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

/** A limit by address, one over all, metrics, access log (its file is where stdout goes), a guard. */
export function everythingOn({ port, upstream }) {
  const limit = { requests: 1_000_000, per: '1s' };
  return {
    server: { host: '127.0.0.1', port },
    admin: { enabled: false },
    rate_limit_global: limit,
    routes: [
      {
        id: 'api',
        path: '/api',
        rate_limit: { ...limit, by: 'ip' },
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
    routes,
  };
}
