/** A piece of a parsed template: text as it stands, or the name of a value. */
export type TemplatePart = { readonly text: string } | { readonly name: string };

const TOKEN = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_.]*)\}|[{}]/g;

/**
 * Parses a text with `{name}` places; `{{` and `}}` are literal braces. Throws a RangeError for a brace that
 * is neither.
 */
export function parseTemplate(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = '';
  let from = 0;
  for (const { 0: token, 1: name, index } of template.matchAll(TOKEN)) {
    text += template.slice(from, index);
    from = index + token.length;
    if (name !== undefined) {
      if (text !== '') parts.push({ text });
      parts.push({ name });
      text = '';
    } else if (token.length === 2) text += token[0]!;
    else
      throw new RangeError(
        `a single ${token} at ${index}: write {name}, or ${token}${token} for the character`,
      );
  }
  text += template.slice(from);
  return text === '' ? parts : [...parts, { text }];
}
