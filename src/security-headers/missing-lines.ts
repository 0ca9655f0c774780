/** Header lines that an answer gets where it has none of the same name. */
export class MissingLines {
  readonly #lines: readonly string[];
  readonly #names: ReadonlySet<string>;
  /** A bit for each length of a name, modulo 32: few names of others need a closer look. */
  readonly #lengths: number;

  /** @param headers values in bytes as `latin1` text */
  constructor(headers: readonly (readonly [name: string, value: string])[]) {
    this.#lines = headers.flat();
    this.#names = new Set(headers.map(([name]) => name.toLowerCase()));
    this.#lengths = headers.reduce((bits, [name]) => bits | (1 << (name.length & 31)), 0);
  }

  /** Adds to `headers`, name, value, name, value, … */
  addTo(headers: string[]): void {
    const present = this.#presentIn(headers);
    const lines = this.#lines;
    for (let at = 0; at < lines.length; at += 2) {
      if (present === null || !present.has(lines[at]!.toLowerCase()))
        headers.push(lines[at]!, lines[at + 1]!);
    }
  }

  /** Null for none, which is the rule. */
  #presentIn(headers: readonly string[]): Set<string> | null {
    let present: Set<string> | null = null;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!;
      if (((this.#lengths >>> (name.length & 31)) & 1) === 0) continue;
      const lower = name.toLowerCase();
      if (this.#names.has(lower)) (present ??= new Set()).add(lower);
    }
    return present;
  }
}
