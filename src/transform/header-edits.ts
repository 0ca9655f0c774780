import type { EditsConfig, ReplaceConfig } from '../config/response.config.js';
import { headerText } from './encoding.js';
import { compileTemplate, type Render, type TemplateContext } from './template.js';

/** Edits name, value, name, value, …: the result is a list of its own. */
export type HeaderEdits = (lines: readonly string[], context: TemplateContext) => string[];

/** Responses know no `replace`. */
type HeaderEditsConfig = Omit<EditsConfig, 'replace'> & Partial<Pick<EditsConfig, 'replace'>>;

/**
 * Compiles edits of a route's headers, which are done in this order: remove, replace, set, add. Null where there are
 * none. Names count without case, and `_` as `-`: many an upstream (CGI, WSGI, PHP) makes one variable of the two.
 */
export function compileHeaderEdits(config: Readonly<HeaderEditsConfig>, path: string): HeaderEdits | null {
  const removed = new Set(config.remove.map(nameKey));
  const replaced = replacementsOf(config.replace ?? []);
  const set = valuesOf(config.set, path);
  const added = valuesOf(config.add, path);
  if (removed.size + replaced.size + set.length + added.length === 0) return null;
  const setByName = new Map(set.map((value) => [nameKey(value.name), value]));
  return (lines, context) => {
    const out: string[] = [];
    const done = new Set<HeaderValue>();
    for (let at = 0; at < lines.length; at += 2) {
      const name = lines[at]!;
      const key = nameKey(name);
      if (removed.has(key)) continue;
      const value = setByName.get(key);
      if (value === undefined) out.push(name, replacedIn(lines[at + 1]!, replaced.get(key)));
      else if (!done.has(value)) {
        done.add(value);
        out.push(value.name, value.text(context));
      }
    }
    for (const value of set) if (!done.has(value)) out.push(value.name, value.text(context));
    for (const { name, text } of added) out.push(name, text(context));
    return out;
  };
}

interface HeaderValue {
  readonly name: string;
  readonly text: Render;
}

interface Replacement {
  readonly pattern: RegExp;
  readonly text: string;
}

function nameKey(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes('_') ? lower.replaceAll('_', '-') : lower;
}

function valuesOf(values: Readonly<Record<string, string>>, path: string): HeaderValue[] {
  return Object.entries(values).map(([name, template]) => {
    const render = compileTemplate(template, path);
    return { name, text: (context) => headerText(render(context)) };
  });
}

/** What a replacement brings in is made harmless here; what it keeps was valid in the line it came from. */
function replacementsOf(rules: readonly ReplaceConfig[]): Map<string, Replacement[]> {
  const byName = Map.groupBy(rules, ({ name }) => nameKey(name));
  return new Map(
    [...byName].map(([name, list]) => [
      name,
      list.map(({ pattern, replacement }) => ({
        pattern: new RegExp(pattern),
        text: headerText(replacement),
      })),
    ]),
  );
}

function replacedIn(value: string, rules: readonly Replacement[] | undefined): string {
  if (rules === undefined) return value;
  return rules.reduce((text, rule) => text.replace(rule.pattern, rule.text), value);
}
