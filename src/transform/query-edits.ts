import type { EditsConfig } from '../config/response.config.js';
import { queryMeaning, queryText } from './encoding.js';
import { compileTemplate, type Render, type TemplateContext } from './template.js';

/** Edits the query of a target in origin form. */
export type QueryEdits = (target: string, context: TemplateContext) => string;

/**
 * Compiles edits of a route's query, which are done in this order: remove, replace, set, add. Null where there are none.
 * Parameters that no edit is for keep their bytes, their order and their repetition.
 */
export function compileQueryEdits(config: Readonly<EditsConfig>, path: string): QueryEdits | null {
  const edits = [
    ...config.remove.map((name) => removal(name)),
    ...config.replace.map(({ name, pattern, replacement }) =>
      replacing(name, new RegExp(pattern), replacement),
    ),
    ...Object.entries(config.set).map(([name, template]) =>
      setting(name, compileTemplate(template, path, queryText)),
    ),
    ...Object.entries(config.add).map(([name, template]) =>
      adding(name, compileTemplate(template, path, queryText)),
    ),
  ];
  if (edits.length === 0) return null;
  return (target, context) => {
    // `OPTIONS *` has no query.
    if (!target.startsWith('/')) return target;
    const at = target.indexOf('?');
    const pathPart = at < 0 ? target : target.slice(0, at);
    const before = at < 0 || at === target.length - 1 ? [] : target.slice(at + 1).split('&');
    const after = edits.reduce((pairs, edit) => edit(pairs, context), before);
    if (after === before) return target;
    return after.length === 0 ? pathPart : `${pathPart}?${after.join('&')}`;
  };
}

/** Pairs as they stand between the `&`; the same list when nothing changed. */
type Edit = (pairs: string[], context: TemplateContext) => string[];

function removal(name: string): Edit {
  return (pairs) => {
    const kept = pairs.filter((pair) => !isNamed(pair, name));
    return kept.length === pairs.length ? pairs : kept;
  };
}

/** A pair whose value the pattern does not match keeps its bytes. */
function replacing(name: string, pattern: RegExp, replacement: string): Edit {
  return (pairs) => {
    let changed = false;
    const edited = pairs.map((pair) => {
      if (!isNamed(pair, name)) return pair;
      const value = queryMeaning(pair.slice(rawName(pair).length + 1));
      if (!pattern.test(value)) return pair;
      changed = true;
      return `${rawName(pair)}=${queryText(value.replace(pattern, replacement))}`;
    });
    return changed ? edited : pairs;
  };
}

/** In the place of the first pair of that name, else at the end. */
function setting(name: string, render: Render): Edit {
  return (pairs, context) => {
    const pair = written(name, render(context));
    const first = pairs.findIndex((known) => isNamed(known, name));
    if (first < 0) return [...pairs, pair];
    const rest = pairs.slice(first + 1).filter((known) => !isNamed(known, name));
    return [...pairs.slice(0, first), pair, ...rest];
  };
}

function adding(name: string, render: Render): Edit {
  return (pairs, context) => [...pairs, written(name, render(context))];
}

/** `value` is encoded already. */
function written(name: string, value: string): string {
  return `${queryText(name)}=${value}`;
}

function rawName(pair: string): string {
  const equals = pair.indexOf('=');
  return equals < 0 ? pair : pair.slice(0, equals);
}

function isNamed(pair: string, name: string): boolean {
  return pair !== '' && queryMeaning(rawName(pair)) === name;
}
