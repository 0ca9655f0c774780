const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const TIME = '(\\d\\d):(\\d\\d):(\\d\\d)';
const FIXDATE = new RegExp(
  `^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\\d\\d) ([A-Z][a-z]{2}) (\\d{4}) ${TIME} GMT$`,
);
const RFC850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d\\d)-([A-Z][a-z]{2})-(\\d\\d) ${TIME} GMT$`,
);
const ASCTIME = new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \\d]\\d) ${TIME} (\\d{4})$`);

/**
 * Milliseconds since the epoch of an HTTP date, in any of its three forms (RFC 9110 §5.6.7); null for anything else.
 * `now` tells the century of a year with two digits.
 */
export function parseHttpDate(text: string, now: number): number | null {
  const fixed = FIXDATE.exec(text);
  if (fixed) return utc(fixed[3]!, fixed[2]!, fixed[1]!, fixed.slice(4));
  const old = RFC850.exec(text);
  if (old) return utc(String(century(Number(old[3]), now)), old[2]!, old[1]!, old.slice(4));
  const c = ASCTIME.exec(text);
  return c ? utc(c[6]!, c[1]!, c[2]!, c.slice(3, 6)) : null;
}

/** A year more than 50 ahead was meant to be in the past. */
function century(year: number, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const guess = current - (current % 100) + year;
  return guess > current + 50 ? guess - 100 : guess;
}

function utc(year: string, month: string, day: string, time: readonly string[]): number | null {
  const index = MONTHS.indexOf(month);
  if (index === -1 || index % 3 !== 0) return null;
  const [hours, minutes, seconds] = time.map(Number);
  const valid = hours! < 24 && minutes! < 60 && seconds! <= 60;
  return valid ? Date.UTC(Number(year), index / 3, Number(day), hours, minutes, seconds) : null;
}
