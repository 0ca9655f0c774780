import { nearest } from '../../common/edit-distance.js';
import type { Draft } from '../draft.js';
import type { RouteConfig } from '../route.config.js';
import { hiddenAs, shown } from '../secrets.js';
import type { BackendConfig, UpstreamConfig } from '../upstream.config.js';

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
  else if (route.upstream === undefined && !isRefused(draft, route, 'split')) {
    report.at(route, 'upstream', 'is missing, expected the name of an upstream, or `backends` here');
  }
}

/** Whether what was written under the key, or all of it, was refused and taken out. */
function isRefused({ report, trace }: Draft, route: RouteConfig, key: keyof RouteConfig): boolean {
  const { path } = trace.spot(route, key);
  return trace.given(route, key) && report.issues.some((issue) => isWithin(issue.path, path));
}

function isWithin(path: string, place: string): boolean {
  return path.startsWith(place) && /^(?:[.[]|$)/.test(path.slice(place.length));
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

function checkUpstream(draft: Draft, upstream: UpstreamConfig): void {
  const { report } = draft;
  const { backends } = upstream;
  if (backends.length > 0 && backends.every(({ weight }) => weight === 0)) {
    report.at(upstream, 'backends', 'have the weight 0 all of them, expected at least one above it');
  }
  const first = new Map<string | null, BackendConfig>();
  for (const backend of backends) {
    const other = first.get(backend.id);
    if (other === undefined) first.set(backend.id, backend);
    else reportTwin(draft, backend, other);
  }
}

/** Two backends of one id: the url stands twice, or the id that one of them was given is taken. */
function reportTwin({ report, trace }: Draft, backend: BackendConfig, other: BackendConfig): void {
  const given = trace.given(backend, 'id');
  if (!given && !trace.given(other, 'id')) {
    report.at(backend, 'url', 'stands twice in this upstream, expected another url or an id of its own');
    return;
  }
  const line = trace.line(other);
  const taken = given
    ? `${shown(backend, 'id')} is taken by the backend in line ${line}`
    : `${shown(backend, 'url')} is the id of the backend in line ${line}`;
  report.at(backend, given ? 'id' : 'url', `${taken}, expected an id of its own`);
}
