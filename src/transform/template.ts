import { parseTemplate } from '../common/template.js';
import { parseRoutePath } from '../config/route-path.js';
import type { Exchange } from '../exchange/exchange.js';

/** What templates may ask of an exchange. */
export type TemplateContext = Pick<Exchange, 'id' | 'clientIp' | 'identity' | 'params'>;

/** The text of a template for one exchange: Unicode, whatever the client made of it. */
export type Render = (context: TemplateContext) => string;

/** Makes of a text what may stand where it goes. */
type Encode = (text: string) => string;

/**
 * Compiles a template of the route with this path; its parameters go before names of the gateway's own. A text without
 * names is encoded here, once. Throws a RangeError for a stray brace or an unknown name.
 */
export function compileTemplate(template: string, path: string, encode: Encode = (text) => text): Render {
  const parts = parseTemplate(template);
  if (parts.every((part) => 'text' in part)) {
    const fixed = encode(parts.map(({ text }) => text).join(''));
    return () => fixed;
  }
  const values = parts.map((part) => ('text' in part ? () => part.text : valueOf(part.name, path)));
  return (context) => {
    let text = '';
    for (const value of values) text += value(context);
    return encode(text);
  };
}

function valueOf(name: string, path: string): Render {
  const { segments } = parseRoutePath(path);
  if (segments.some((segment) => 'param' in segment && segment.param === name))
    return ({ params }) => params[name] ?? '';
  if (name === 'client_ip') return ({ clientIp }) => clientIp;
  if (name === 'request_id') return ({ id }) => id;
  if (name === 'identity.sub') return ({ identity }) => subjectOf(identity);
  throw new RangeError(`unknown name {${name}}`);
}

/** As in `rewrite.path`: the token's subject, else the id; empty for nobody. */
function subjectOf(identity: TemplateContext['identity']): string {
  if (identity === null) return '';
  const sub = identity.claims['sub'];
  return typeof sub === 'string' ? sub : identity.id;
}
