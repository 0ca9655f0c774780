import type { DocumentConfig } from '../document.config.js';
import type { Draft, Registered } from '../draft.js';
import type { Report } from '../report.js';
import { flattenGroups } from './groups.js';
import { fillIds } from './ids.js';
import { inheritGlobals } from './inherit.js';
import { collectUpstreams } from './upstreams.js';

/** Groups flattened, ids and inherited values filled in, upstreams collected. */
export function assemble(
  document: DocumentConfig,
  report: Report,
  registered: Registered | undefined,
): Draft {
  const routes = flattenGroups(document, report);
  fillIds(routes);
  for (const route of routes) inheritGlobals(route, document, report);
  const upstreams = collectUpstreams(document, routes, report);
  return { document, routes, upstreams, report, trace: report.trace, registered };
}
