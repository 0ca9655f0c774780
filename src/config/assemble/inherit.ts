import type { DocumentConfig } from '../document.config.js';
import type { Report } from '../report.js';
import { type ExtensionUse, ExtensionUseConfig, type RouteConfig } from '../route.config.js';
import { hiddenAs, hide } from '../secrets.js';

/** Puts the document's values into a route that inherits them, and the one form where a route may use several. */
export function inheritGlobals(route: RouteConfig, document: DocumentConfig, report: Report): void {
  const given = (key: keyof RouteConfig): boolean => report.trace.given(route, key);
  if (!given('auth')) route.auth = document.auth.default;
  if (!given('max_body_size')) route.max_body_size = document.server.max_body_size;
  route.cors = given('cors') ? settings(route.cors, document.cors) : document.cors || null;
  route.compression = given('compression')
    ? settings(route.compression, document.compression)
    : document.compression || null;
  if (!given('security_headers') || isInherit(route.security_headers)) {
    route.security_headers = document.security_headers;
  }
  // In place: the list keeps its marks and its place in the text.
  for (const [index, host] of route.hosts.entries()) route.hosts[index] = host.toLowerCase();
  route.guards = uses(route.guards, report);
  route.interceptors = uses(route.interceptors, report);
}

/** As written: `inherit`, false, null or settings; as handed on: settings or null. */
function settings<T>(own: T | null, global: T | null): T | null {
  return (isInherit(own) ? global : own) || null;
}

function isInherit(value: unknown): boolean {
  return value === 'inherit';
}

function uses(written: readonly (ExtensionUse | string)[], { trace }: Report): ExtensionUse[] {
  const list = written.map((use, index) => (typeof use === 'string' ? named(use, written, index) : use));
  trace.copy(written, list);
  return list;
}

function named(name: string, written: object, index: number): ExtensionUse {
  const use = Object.assign(new ExtensionUseConfig(), { name });
  const shown = hiddenAs(written, index);
  if (shown !== undefined) hide(use, 'name', shown);
  return use;
}
