import type { Draft } from '../draft.js';
import type { CorsConfig } from '../response.config.js';
import type { RouteConfig } from '../route.config.js';
import { shown } from '../secrets.js';

/** CORS and cache of routes. */
export function checkResponses(draft: Draft): void {
  const { document, routes } = draft;
  for (const cors of new Set([document.cors, ...routes.map((route) => route.cors)])) {
    if (cors) checkCors(draft, cors);
  }
  const ids = new Set(routes.map(({ id }) => id));
  for (const route of routes) {
    checkCache(draft, route, ids);
  }
}

/** Browsers refuse `*` together with credentials (Fetch §3.2.5). */
function checkCors({ report }: Draft, cors: CorsConfig): void {
  if (!cors.credentials || !cors.origins.includes('*')) return;
  report.at(cors, 'credentials', 'stands beside the origin *, expected origins by name');
}

function checkCache({ report }: Draft, route: RouteConfig, ids: ReadonlySet<string>): void {
  const { cache } = route;
  if (!cache) return;
  if (route.auth !== 'none' && cache.key.identity === null) {
    report.at(cache, 'key', 'does not say identity on a route with auth, expected identity: true or false');
  }
  for (const [index, id] of cache.invalidates.entries()) {
    if (!ids.has(id))
      report.at(
        cache.invalidates,
        index,
        `${shown(cache.invalidates, index)} names no route, expected the id of one`,
      );
  }
}
