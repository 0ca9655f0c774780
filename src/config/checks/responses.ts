import { readFileSync } from 'node:fs';

import type { Draft } from '../draft.js';
import type { CorsConfig, SchemaConfig } from '../response.config.js';
import type { RouteConfig } from '../route.config.js';
import { shown } from '../secrets.js';

/** CORS, cache and validation of routes. */
export function checkResponses(draft: Draft): void {
  const { document, routes } = draft;
  for (const cors of new Set([document.cors, ...routes.map((route) => route.cors)])) {
    if (cors) checkCors(draft, cors);
  }
  const ids = new Set(routes.map(({ id }) => id));
  for (const route of routes) {
    checkCache(draft, route, ids);
    for (const schema of Object.values(route.validate ?? {})) {
      if (schema) checkSchema(draft, schema as SchemaConfig);
    }
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

function checkSchema({ report }: Draft, config: SchemaConfig): void {
  if (report.damaged.has(config)) return;
  const { schema, schema_file: file } = config;
  if ((schema === null) === (file === null)) {
    report.at(config, undefined, 'has none of schema and schema_file or both, expected one of them');
  }
  if (file !== null && !isSchema(file))
    report.at(config, 'schema_file', 'holds no JSON, expected a JSON Schema');
}

function isSchema(file: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return (
      typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
    );
  } catch {
    return false;
  }
}
