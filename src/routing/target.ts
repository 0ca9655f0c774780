import { parseRoutePath, type RoutePath } from '../config/route-path.js';
import type { RewriteConfig, RouteConfig } from '../config/route.config.js';
import type { Exchange } from '../exchange/exchange.js';
import type { CanonicalTarget } from '../exchange/router.js';
import { parseTemplate } from '../common/template.js';
import { canonicalTarget, escapeForeign } from './canonical-path.js';

/** What templates may ask of an exchange. */
export type RewriteContext = Pick<Exchange, 'id' | 'clientIp' | 'identity'>;

/**
 * The path and query that the upstream gets, without a backend's base path; starts with exactly one `/`
 * (but for an unchanged target, which passes as it came). Null when the rewritten path is none that the
 * gateway would accept itself: the answer is 400.
 */
export type TargetRewrite = (target: CanonicalTarget, context: RewriteContext) => string | null;

type Rewritten = Pick<RouteConfig, 'path' | 'exact' | 'strip_prefix' | 'rewrite'>;
type Value = (rawPath: string, context: RewriteContext) => string;

/** Compiles `strip_prefix` and `rewrite` of a route. Throws a RangeError or SyntaxError that says what is wrong. */
export function compileTarget(config: Readonly<Rewritten>): TargetRewrite {
  const path = parseRoutePath(config.path);
  const stripped = config.strip_prefix ? path.segments.length : 0;
  if (config.rewrite?.path != null) return templateRewrite(config.rewrite.path, path, config.exact);
  if (config.rewrite?.pattern != null) return patternRewrite(config.rewrite, stripped);
  return stripped === 0
    ? unchanged
    : (target) => checked(withoutPrefix(target.rawPath, stripped), target.query);
}

const unchanged: TargetRewrite = (target) => target.originForm;

/** What stands behind the first segments, from its slash on; empty when nothing does. */
function behind(path: string, segments: number): string {
  let slash = 0;
  for (let passed = 0; passed < segments && slash >= 0; passed++) slash = path.indexOf('/', slash + 1);
  return slash < 0 ? '' : path.slice(slash);
}

function withoutPrefix(path: string, segments: number): string {
  return behind(path, segments) || '/';
}

/** The template stands for the part that the route's path matched; what lies below it follows as it came. */
function templateRewrite(template: string, path: RoutePath, exact: boolean): TargetRewrite {
  if (!template.startsWith('/')) throw new RangeError('rewrite.path must begin with /');
  if (/[?#]/.test(template)) throw new RangeError('rewrite.path must be a path alone, without ? or #');
  const values = parseTemplate(template).map((part) =>
    'text' in part ? constant(escapeForeign(part.text)) : valueOf(part.name, path),
  );
  return (target, context) => {
    let head = '';
    for (const value of values) {
      const text = value(target.rawPath, context);
      // A value that is missing would turn one segment into none.
      if (text === '') return null;
      head += text;
    }
    const rest = exact ? '' : behind(target.rawPath, path.segments.length);
    const joined = head.endsWith('/') && rest !== '' ? head + rest.slice(1) : head + rest;
    return checked(joined, target.query);
  };
}

function constant(text: string): Value {
  return () => text;
}

function valueOf(name: string, path: RoutePath): Value {
  const index = path.segments.findIndex((segment) => 'param' in segment && segment.param === name);
  // The segment's own bytes: they cannot hold a slash, and nothing is decoded or encoded twice.
  if (index >= 0) return (rawPath) => segmentAt(rawPath, index);
  if (name === 'client_ip') return (_, { clientIp }) => encodeURIComponent(clientIp);
  if (name === 'request_id') return (_, { id }) => encodeURIComponent(id);
  if (name === 'identity.sub') return (_, { identity }) => encodeURIComponent(subjectOf(identity));
  throw new RangeError(
    `unknown name {${name}}, expected a parameter of the path or client_ip, request_id, identity.sub`,
  );
}

function segmentAt(path: string, index: number): string {
  const text = behind(path, index).slice(1);
  const end = text.indexOf('/');
  return end < 0 ? text : text.slice(0, end);
}

function subjectOf(identity: RewriteContext['identity']): string {
  if (identity === null) return '';
  const sub = identity.claims['sub'];
  return (typeof sub === 'string' ? sub : identity.id).toWellFormed();
}

/**
 * The pattern sees the canonical path, so that no other spelling of it escapes the rewrite; a path that it
 * does not match passes in its own bytes.
 */
function patternRewrite(rewrite: RewriteConfig, stripped: number): TargetRewrite {
  const pattern = new RegExp(rewrite.pattern ?? '');
  const replacement = escapeForeign(rewrite.replacement ?? '');
  return (target) => {
    const path = withoutPrefix(target.path, stripped);
    if (pattern.test(path)) return checked(path.replace(pattern, replacement), target.query);
    return stripped === 0
      ? target.originForm
      : checked(withoutPrefix(target.rawPath, stripped), target.query);
  };
}

/** A path that begins with `//` reads as a host in many URL parsers: never made out of a client's bytes. */
function checked(path: string, query: string): string | null {
  if (!path.startsWith('/') || path.startsWith('//') || canonicalTarget(path) === null) return null;
  return query !== '' && path.includes('?') ? `${path}&${query.slice(1)}` : path + query;
}
