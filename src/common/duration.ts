/** A duration as operators write it: `250ms`, `10s`, `1m30s`, `1h`. */
export type Duration = string;

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** JSON Schema pattern of a duration. */
export const DURATION_PATTERN = '^(?=\\d)(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?$';

/** Whether the text is a duration; `0s` is one, an empty text is not. */
export function isDuration(text: unknown): text is Duration {
  return typeof text === 'string' && text !== '' && PATTERN.test(text);
}

/** The duration in milliseconds. Throws a RangeError for anything else. */
export function durationMs(text: Duration): number {
  const parts = isDuration(text) ? PATTERN.exec(text) : null;
  if (!parts) throw new RangeError(`not a duration: ${text}`);
  const [, h = '0', m = '0', s = '0', ms = '0'] = parts;
  return Number(h) * UNITS['h']! + Number(m) * UNITS['m']! + Number(s) * UNITS['s']! + Number(ms);
}
