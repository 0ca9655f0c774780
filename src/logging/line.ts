/** The shape of every line: `time`, `level` in capitals, `msg`, then the fields. */

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/** pino's number of a level as lines show it. */
export function levelName(level: number): string {
  return LEVELS[level] ?? String(level);
}

/** Writes a moment as ISO 8601 in UTC with milliseconds; the text of the running second is kept. */
export class IsoTime {
  private second = Number.NaN;
  private prefix = '';

  /** `wall` in milliseconds since the Unix epoch. */
  format(wall: number): string {
    const whole = Math.trunc(wall);
    const second = Math.floor(whole / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.prefix = new Date(second * 1_000).toISOString().slice(0, 20);
    }
    const ms = whole - second * 1_000;
    return this.prefix + (ms < 10 ? '00' : ms < 100 ? '0' : '') + ms + 'Z';
  }
}

/** The text as JSON, or `null`. */
export function jsonText(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text);
}
