import { parseTemplate } from '../../common/template.js';
import type { Draft } from '../draft.js';
import { parseRoutePath } from '../route-path.js';
import type { RewriteConfig, RouteConfig } from '../route.config.js';
import { hiddenAs } from '../secrets.js';

/** Names that templates know beside the parameters of the route's path. */
export const TEMPLATE_NAMES = ['client_ip', 'request_id', 'identity.sub'] as const;

/** Templates and replacements: what they name must be there. */
export function checkTemplates(draft: Draft): void {
  for (const route of draft.routes) {
    if (route.rewrite && !draft.report.damaged.has(route.rewrite)) checkRewrite(draft, route, route.rewrite);
    checkTransform(draft, route);
  }
}

function checkRewrite(draft: Draft, route: RouteConfig, rewrite: RewriteConfig): void {
  const { report } = draft;
  const { path, pattern, replacement } = rewrite;
  if ((path === null) === (pattern === null) || (pattern === null) !== (replacement === null)) {
    report.at(route, 'rewrite', 'is not whole, expected either path, or pattern and replacement');
    return;
  }
  if (path !== null) checkPathTemplate(draft, route, rewrite, path);
  if (pattern !== null && replacement !== null) {
    const unknown = unknownGroup(pattern, replacement);
    if (unknown !== undefined) {
      report.at(
        rewrite,
        'replacement',
        `names ${unknown}, which pattern does not have; expected one of its groups`,
      );
    }
  }
}

function checkPathTemplate(draft: Draft, route: RouteConfig, rewrite: RewriteConfig, path: string): void {
  const { report } = draft;
  if (!/^\/(?!\/)[^\s?#]*$/.test(path) || /(^|\/)\.{1,2}(\/|$)/.test(path)) {
    report.at(rewrite, 'path', 'is not a path, expected / in front, no query and no . or .. segments');
  }
  checkTemplate(draft, route, rewrite, 'path', path);
}

function checkTransform(draft: Draft, route: RouteConfig): void {
  const { request, response } = route.transform;
  for (const edits of [request.headers, request.query, response.headers]) {
    for (const values of [edits.set, edits.add]) {
      for (const [name, value] of Object.entries(values)) checkTemplate(draft, route, values, name, value);
    }
  }
  for (const edits of [request.headers, request.query]) {
    for (const edit of edits.replace) {
      const unknown = unknownGroup(edit.pattern, edit.replacement);
      if (unknown === undefined) continue;
      draft.report.at(
        edit,
        'replacement',
        `names ${unknown}, which pattern does not have; expected one of its groups`,
      );
    }
  }
}

function checkTemplate(
  { report }: Draft,
  route: RouteConfig,
  owner: object,
  key: string,
  text: string,
): void {
  const { segments } = parseRoutePath(route.path);
  const params = segments.flatMap((segment) => ('param' in segment ? [segment.param] : []));
  const known: readonly string[] = [...params, ...TEMPLATE_NAMES];
  try {
    for (const part of parseTemplate(text)) {
      if ('text' in part || known.includes(part.name)) continue;
      report.at(
        owner,
        key,
        `names ${hiddenAs(owner, key) === undefined ? `{${part.name}}` : 'something'}, which is unknown; expected one of ${known.join(', ')}`,
      );
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report.at(owner, key, `has a stray brace, expected {name}, or {{ and }} for literal braces`);
  }
}

/** The first group that a replacement names and its pattern lacks. */
function unknownGroup(pattern: string, replacement: string): string | undefined {
  const groups = new RegExp(`${pattern}|`).exec('');
  const count = (groups?.length ?? 1) - 1;
  const names = Object.keys(groups?.groups ?? {});
  for (const { 0: token, 1: digits, 2: name } of replacement.matchAll(/\$\$|\$(\d{1,2})|\$<([^>]*)>/g)) {
    if (digits !== undefined && !hasGroup(digits, count)) return token;
    if (name !== undefined && !names.includes(name)) return token;
  }
  return undefined;
}

/** `$12` is the group 12, or the group 1 and a 2 (ECMA-262 GetSubstitution). */
function hasGroup(digits: string, count: number): boolean {
  const [one = '0'] = digits;
  const exists = (group: number): boolean => group >= 1 && group <= count;
  return exists(Number(digits)) || (digits.length === 2 && exists(Number(one)));
}
