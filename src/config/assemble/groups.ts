import type { DocumentConfig, GroupConfig } from '../document.config.js';
import type { Report } from '../report.js';
import { parseRoutePath } from '../route-path.js';
import { GROUP_KEYS, type RouteConfig } from '../route.config.js';
import { copyMark, hiddenAs, hide, shown } from '../secrets.js';

/** Where requests go is one choice, however it is said. */
const TARGETS: readonly string[] = ['upstream', 'split'];

/** All routes in the order of the document: those of groups have their group's path in front and its policies. */
export function flattenGroups(document: DocumentConfig, report: Report): RouteConfig[] {
  const order = report.trace.keys(document).filter((key) => key === 'routes' || key === 'groups');
  return order.flatMap((key) =>
    key === 'routes' ? document.routes : document.groups.flatMap((group) => groupRoutes(group, report)),
  );
}

function groupRoutes(group: GroupConfig, report: Report): RouteConfig[] {
  return group.routes.filter((route) => {
    putInFront(group, route);
    inherit(group, route, report);
    return isPath(route, report);
  });
}

function joined(prefix: string, path: string): string {
  const front = prefix.replace(/\/$/, '');
  return path === '/' && front !== '' ? front : front + path;
}

function putInFront(group: GroupConfig, route: RouteConfig): void {
  const [front, own] = [hiddenAs(group, 'path'), hiddenAs(route, 'path')];
  if (front !== undefined || own !== undefined)
    hide(route, 'path', joined(front ?? group.path, own ?? route.path));
  route.path = joined(group.path, route.path);
}

/** Both parts are paths; together they may name a parameter twice. */
function isPath(route: RouteConfig, report: Report): boolean {
  try {
    parseRoutePath(route.path);
    return true;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report.at(route, 'path', `${shown(route, 'path')}, with the path of the group, ${error.message}`);
    return false;
  }
}

function inherit(group: GroupConfig, route: RouteConfig, report: Report): void {
  const { trace } = report;
  const companion = trace.companion(route);
  const hasTarget =
    TARGETS.some((key) => trace.given(route, key)) ||
    (companion !== undefined && trace.given(companion, 'backends'));
  for (const key of GROUP_KEYS) {
    if (!trace.given(group, key) || trace.given(route, key)) continue;
    if (hasTarget && TARGETS.includes(key)) continue;
    Reflect.set(route, key, Reflect.get(group, key));
    trace.copyKey(group, route, key);
    copyMark(group, route, key);
  }
}
