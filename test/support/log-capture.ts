import { waitFor, type WaitOptions } from './wait.js';

export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

type Fields = Record<string, unknown>;

/** A log destination that keeps what was written, as lines and parsed. */
export class LogCapture {
  /** Every line as written, without its newline. */
  readonly lines: string[] = [];
  /** The lines that are JSON objects, parsed; grows while the gateway runs. */
  readonly all: LogLine[] = [];
  private partial = '';

  write(text: string): void {
    const lines = (this.partial + text).split('\n');
    this.partial = lines.pop() ?? '';
    for (const line of lines) this.add(line);
  }

  /** The lines with this message whose fields equal the given ones. */
  with(msg: string, fields: Fields = {}): LogLine[] {
    const wanted = Object.entries(fields);
    return this.all.filter(
      (line) => line.msg === msg && wanted.every(([key, value]) => Object.is(line[key], value)),
    );
  }

  /** Waits for a line with this message (and fields), and returns the first. */
  async until(msg: string, fields: Fields = {}, options?: WaitOptions): Promise<LogLine> {
    const explain = (): string =>
      `log line ${JSON.stringify({ msg, ...fields })}; last lines:\n${this.lines.slice(-15).join('\n')}`;
    return waitFor(() => this.with(msg, fields)[0], explain, options);
  }

  private add(line: string): void {
    if (line === '') return;
    this.lines.push(line);
    const parsed = parseObject(line);
    if (parsed) this.all.push(parsed);
  }
}

function parseObject(line: string): LogLine | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as LogLine) : null;
  } catch {
    return null;
  }
}
