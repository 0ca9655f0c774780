import { nearest } from '../../common/edit-distance.js';
import type { Draft } from '../draft.js';
import type { RouteConfig } from '../route.config.js';
import { hiddenAs, shown } from '../secrets.js';
import type { UpstreamConfig } from '../upstream.config.js';

/** Where routes send requests, and the backends there. */
export function checkTargets(draft: Draft): void {
  for (const route of draft.routes) checkTarget(draft, route);
  for (const upstream of new Set(Object.values(draft.upstreams))) checkUpstream(draft, upstream);
}

function checkTarget(draft: Draft, route: RouteConfig): void {
  const { report, trace } = draft;
  const { split, mirror } = route;
  if (split && split.length > 0 && split.every(({ weight }) => weight === 0)) {
    report.at(route, 'split', 'gives every upstream the weight 0, expected at least one above it');
  }
  for (const share of split ?? []) checkName(draft, share, share.upstream);
  if (mirror) checkName(draft, mirror, mirror.upstream);
  if (trace.given(route, 'upstream')) {
    if (split) report.at(route, 'upstream', 'stands beside `split`, expected one of the two');
    if (route.upstream !== undefined) checkName(draft, route, route.upstream);
    return;
  }
  if (split?.[0]) route.upstream = split[0].upstream;
  else if (route.upstream === undefined) {
    report.at(route, 'upstream', 'is missing, expected the name of an upstream, or `backends` here');
  }
}

function checkName({ document, upstreams, report, trace }: Draft, owner: object, name: string): void {
  const known = new Set([...trace.keys(document.upstreams).map(String), ...Object.keys(upstreams)]);
  if (known.has(name)) return;
  const near = hiddenAs(owner, 'upstream') === undefined ? nearest(name, known) : undefined;
  const list =
    known.size > 0 ? `expected one of ${[...known].slice(0, 20).join(', ')}` : 'expected one of `upstreams`';
  const expected = near ? `did you mean ${near}?` : list;
  report.at(owner, 'upstream', `${shown(owner, 'upstream')} names no upstream, ${expected}`);
}

function checkUpstream({ report }: Draft, upstream: UpstreamConfig): void {
  const { backends } = upstream;
  if (backends.length > 0 && backends.every(({ weight }) => weight === 0)) {
    report.at(upstream, 'backends', 'have the weight 0 all of them, expected at least one above it');
  }
  const ids = new Set<string | null>();
  for (const backend of backends) {
    if (ids.has(backend.id)) {
      report.at(backend, 'url', 'stands twice in this upstream, expected another url or an id of its own');
    }
    ids.add(backend.id);
  }
}
