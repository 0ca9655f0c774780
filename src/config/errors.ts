/** One thing wrong in a document. */
export class ConfigIssue {
  /**
   * `line` and `column` are counted from 1, columns in UTF-16 units; `path` is the key's path
   * (`routes[0].timeout`), empty for the document itself.
   */
  constructor(
    readonly file: string,
    readonly line: number,
    readonly column: number,
    readonly path: string,
    readonly message: string,
  ) {}

  /** `file:line:col key.path: what is wrong, what was expected`. */
  toString(): string {
    return `${this.file}:${this.line}:${this.column} ${this.path || 'document'}: ${this.message}`;
  }
}

/** A document that does not hold; carries everything wrong with it, in the order of the text. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const sorted = issues.toSorted(byPosition);
    super(sorted.join('\n'));
    this.issues = sorted;
  }

  /** One line for each issue. */
  override toString(): string {
    return this.message;
  }
}

function byPosition(a: ConfigIssue, b: ConfigIssue): number {
  return a.line - b.line || a.column - b.column;
}
