import type { EditsConfig } from '../config/response.config.js';
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
  const set = valuesOf(config.set, path);
  const added = valuesOf(config.add, path);
  const rules = rulesOf(config, set);
  if (rules.size + added.length === 0) return null;
  const lengths = new Set([...rules.keys()].map((key) => key.length));
  return (lines, context) => {
    const out: string[] = [];
    const placed: HeaderValue[] = [];
    for (let at = 0; at < lines.length; at += 2) {
      const name = lines[at]!;
      // A name and its key are of one length, which spares most lines the key.
      const rule = lengths.has(name.length) ? rules.get(nameKey(name)) : undefined;
      if (rule === undefined) out.push(name, lines[at + 1]!);
      else if (rule.removed) continue;
      else if (rule.set === null) out.push(name, replacedIn(lines[at + 1]!, rule.replacements));
      else if (!placed.includes(rule.set)) {
        placed.push(rule.set);
        out.push(rule.set.name, rule.set.text(context));
      }
    }
    for (const value of set) if (!placed.includes(value)) out.push(value.name, value.text(context));
    for (const { name, text } of added) out.push(name, text(context));
    return out;
  };
}

/** What happens to all lines of one name. */
interface NameRule {
  removed: boolean;
  readonly replacements: Replacement[];
  /** Stands in the place of the first of the lines. */
  set: HeaderValue | null;
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
  return Object.entries(values).map(([name, template]) => ({
    name,
    text: compileTemplate(template, path, headerText),
  }));
}

/** What a replacement brings in is made harmless here; what it keeps was valid in the line it came from. */
function rulesOf(config: Readonly<HeaderEditsConfig>, set: readonly HeaderValue[]): Map<string, NameRule> {
  const rules = new Map<string, NameRule>();
  const ruleOf = (name: string): NameRule => {
    const rule = rules.get(nameKey(name)) ?? { removed: false, replacements: [], set: null };
    rules.set(nameKey(name), rule);
    return rule;
  };
  for (const name of config.remove) ruleOf(name).removed = true;
  for (const { name, pattern, replacement } of config.replace ?? []) {
    ruleOf(name).replacements.push({ pattern: new RegExp(pattern), text: headerText(replacement) });
  }
  for (const value of set) ruleOf(value.name).set = value;
  return rules;
}

function replacedIn(value: string, rules: readonly Replacement[]): string {
  return rules.reduce((text, rule) => text.replace(rule.pattern, rule.text), value);
}
