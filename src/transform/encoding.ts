/**
 * A text as a header may carry it: everything but visible ASCII and the space is percent-encoded as UTF-8, so that no
 * value can end its line (RFC 9110 §5.5).
 */
export function headerText(text: string): string {
  return PLAIN.test(text) ? text : text.toWellFormed().replaceAll(FOREIGN, encodeURIComponent);
}

/** A text as part of a query: everything but the unreserved characters is percent-encoded as UTF-8 (RFC 3986 §2.3). */
export function queryText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(SUB_DELIMS, percentEncoded);
}

/** The text behind the bytes of a query's name or value; `+` is a space. Bytes that are no UTF-8 become U+FFFD. */
export function queryMeaning(raw: string): string {
  if (!raw.includes('%') && !raw.includes('+') && PLAIN.test(raw)) return raw;
  const bytes = raw
    .replaceAll('+', ' ')
    .replaceAll(ESCAPE, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const PLAIN = /^[\x20-\x7e]*$/;
const FOREIGN = /[^\x20-\x7e]+/gu;
/** What encodeURIComponent leaves of the reserved characters. */
const SUB_DELIMS = /[!'()*]/g;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
