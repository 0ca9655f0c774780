import type { Draft } from '../draft.js';
import type { EditsConfig, StatusEditConfig } from '../response.config.js';
import type { RouteConfig } from '../route.config.js';
import { parseTemplate } from '../../common/template.js';

/** What a header of the gateway's own is called here: lower case, `-` for `_`. */
type Owned = (name: string) => boolean;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Fields of one connection or of the message's frame. */
const FRAMING = [
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** What frames a request, or is the gateway's own word in it. */
export const OF_REQUESTS: ReadonlySet<string> = new Set([
  ...FRAMING,
  'forwarded',
  'host',
  'x-gateway-version',
  'x-real-ip',
  'x-request-id',
]);
const OF_RESPONSES: ReadonlySet<string> = new Set([
  ...FRAMING,
  'content-encoding',
  'content-range',
  'cache-status',
  'x-cache',
  'x-gateway-proxy',
  'x-request-id',
]);

/** Edits of requests and responses: nothing that frames a message, and nothing that the gateway says itself. */
export function checkTransforms(draft: Draft): void {
  const owned = ownedOfRequests(draft);
  for (const route of draft.routes) {
    const { request, response } = route.transform;
    checkHeaders(draft, request.headers, owned);
    checkHeaders(draft, response.headers, (name) => OF_RESPONSES.has(name));
    checkStatuses(draft, response.status);
    if (route.cache) checkCached(draft, route);
  }
}

function ownedOfRequests({ document }: Draft): Owned {
  const identity = Object.values(document.auth.jwt?.forward ?? {});
  const further = new Set([document.request_id.header, ...identity].map(key));
  return (name) =>
    OF_REQUESTS.has(name) ||
    further.has(name) ||
    /^(x-forwarded|x-client-cert|sec-websocket)(-|$)/.test(name);
}

type HeaderEdits = Pick<EditsConfig, 'set' | 'add' | 'remove'> & Partial<Pick<EditsConfig, 'replace'>>;

function checkHeaders(draft: Draft, edits: HeaderEdits, owned: Owned): void {
  for (const values of [edits.set, edits.add])
    for (const name of Object.keys(values)) checkName(draft, name, owned, values, name);
  for (const [index, name] of edits.remove.entries()) checkName(draft, name, owned, edits.remove, index);
  for (const edit of edits.replace ?? []) checkName(draft, edit.name, owned, edit, 'name');
  checkTwice(draft, edits.set);
}

// oxlint-disable-next-line max-params -- a name, and where it stands.
function checkName(
  { report }: Draft,
  name: string,
  owned: Owned,
  owner: object,
  place: string | number,
): void {
  if (!TOKEN.test(name)) report.at(owner, place, 'is not a header name, expected a token (RFC 9110 §5.6.2)');
  else if (key(name) === 'host')
    report.at(
      owner,
      place,
      'names Host, which frames the request; expected host_header of the upstream instead',
    );
  else if (owned(key(name)))
    report.at(owner, place, 'names a header that the gateway writes itself, expected another one');
}

function checkTwice({ report }: Draft, values: Readonly<Record<string, string>>): void {
  const seen = new Map<string, string>();
  for (const name of Object.keys(values)) {
    const first = seen.get(key(name));
    if (first === undefined) seen.set(key(name), name);
    else report.at(values, name, `names the same header as ${first}, expected each once`);
  }
}

function key(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** 304 and 206 answer what the client asked conditionally or in part; the others have no body, or are not final. */
function checkStatuses({ report }: Draft, edits: readonly StatusEditConfig[]): void {
  const seen = new Set<number>();
  for (const edit of edits) {
    const { from, to } = edit;
    if (from < 200) report.at(edit, 'from', `${from} is no final status, expected 200 to 599`);
    else if (from === 206 || from === 304)
      report.at(
        edit,
        'from',
        `${from} answers a condition or range of the client's, expected another status`,
      );
    else if (seen.has(from)) report.at(edit, 'from', `${from} is mapped already, expected each status once`);
    seen.add(from);
    if (to < 200) report.at(edit, 'to', `${to} is no final status, expected 200 to 599`);
    else if (to === 204 || to === 205 || to === 206 || to === 304)
      report.at(edit, 'to', `${to} cannot stand for an answer with a body, expected another status`);
  }
}

/** What is stored is served to others: it must not tell of the one who asked first. */
function checkCached({ report }: Draft, { cache, transform }: RouteConfig): void {
  const personal = new Set(['client_ip', 'request_id']);
  if (cache!.key.identity !== true) personal.add('identity.sub');
  for (const values of [transform.response.headers.set, transform.response.headers.add]) {
    for (const [name, template] of Object.entries(values)) {
      const told = namesIn(template).find((each) => personal.has(each));
      if (told === undefined) continue;
      report.at(
        values,
        name,
        `tells {${told}} of one client in answers that the cache gives to others, expected none`,
      );
    }
  }
}

/** A template with a stray brace is reported elsewhere. */
function namesIn(template: string): string[] {
  try {
    return parseTemplate(template).flatMap((part) => ('name' in part ? [part.name] : []));
  } catch {
    return [];
  }
}
