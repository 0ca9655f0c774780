import { isDeepStrictEqual } from 'node:util';

import { nearest } from '../../common/edit-distance.js';
import type { Draft, OptionProblem, Registered } from '../draft.js';
import type { ExtensionUse } from '../route.config.js';
import { hiddenAs } from '../secrets.js';

/**
 * Guards and interceptors of the team's own must be registered under the names that routes use, and take the options
 * given to them. Names of a document that lists other modules than those loaded are nobody's to judge.
 */
export function checkExtensions(draft: Draft): void {
  const { registered, routes, document, report } = draft;
  if (!registered) return;
  if (registered.extensions && !isDeepStrictEqual(document.extensions, registered.extensions)) {
    const loaded = registered.extensions.join(', ') || 'none';
    report.at(document, 'extensions', `changes only with a restart, expected those loaded: ${loaded}`);
    return;
  }
  for (const route of routes) {
    for (const key of ['guards', 'interceptors'] as const) checkUses(draft, registered, key, route[key]);
  }
}

function checkUses(
  draft: Draft,
  registered: Registered,
  key: 'guards' | 'interceptors',
  uses: readonly ExtensionUse[],
): void {
  for (const [index, use] of uses.entries()) {
    if (!registered[key].includes(use.name)) refuse(draft, uses, index, use.name, registered[key]);
    else for (const problem of registered.judge?.(key, use) ?? []) reject(draft, uses, index, problem);
  }
}

function refuse(draft: Draft, list: object, index: number, name: string, known: readonly string[]): void {
  const near = nearest(name, known);
  const hint = near ? `did you mean ${near}? ` : '';
  const expected =
    known.length > 0 ? `expected one of ${known.join(', ')}` : 'expected none: none is registered';
  draft.report.at(list, index, `${JSON.stringify(name)} is not registered, ${hint}${expected}`);
}

/** At the option, or as near as the document comes to it. */
function reject(draft: Draft, uses: readonly ExtensionUse[], index: number, problem: OptionProblem): void {
  const { trace, report } = draft;
  const use = uses[index]!;
  const { owner, key, rest } = follow(use.options, problem.path);
  const message = hiddenAs(owner, key) === undefined ? problem.message : 'does not fit the option';
  if (rest.length === 0 && trace.given(owner, key)) return report.at(owner, key, message);
  const missing = `the option ${problem.path.join('.')} ${message}`;
  if (trace.given(use, 'options')) report.at(use, 'options', missing);
  else report.at(uses, index, missing);
}

/** Walks down while there is something to walk on: the last holder and its key, and what of the path is left. */
function follow(
  options: object,
  path: readonly string[],
): { owner: object; key: string | number; rest: readonly string[] } {
  let owner = options;
  for (const [at, step] of path.entries()) {
    const key = Array.isArray(owner) ? Number(step) : step;
    const next: unknown = Reflect.get(owner, key);
    const last = at === path.length - 1;
    if (last || typeof next !== 'object' || next === null) return { owner, key, rest: path.slice(at + 1) };
    owner = next;
  }
  return { owner, key: '', rest: [] };
}
