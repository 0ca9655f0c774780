import type { RouteConfig } from '../route.config.js';

/** The id of a route that gives none: methods and path joined by dashes (`get-post-api-users`, `any-api-x-id`). */
export function defaultId(route: Pick<RouteConfig, 'methods' | 'path'>): string {
  const methods = route.methods ?? ['any'];
  const segments = route.path.split('/').filter((segment) => segment !== '');
  return [...methods, ...segments]
    .map((part) => part.toLowerCase().replace(/[^a-z0-9._-]+/g, '-'))
    .map((part) => part.replace(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('-')
    .slice(0, 128);
}

/** Fills in the ids that the document leaves out. */
export function fillIds(routes: readonly RouteConfig[]): void {
  for (const route of routes) route.id ??= defaultId(route);
}
