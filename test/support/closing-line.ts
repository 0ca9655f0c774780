import type { Reporter, TestModule } from 'vitest/node';

/** Prints `N passed, N failed[, N skipped]` as the last line of a run; CI repeats it. */
export default class ClosingLine implements Reporter {
  private line = '0 passed, 1 failed';

  onInit(): void {
    // At exit: the default reporter prints its summary when the run ends.
    process.once('exit', () => console.log(this.line));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.line = closingLine(modules, unhandledErrors.length);
  }
}

/** A run without a test, a file that does not load, a hook that fails and an error nobody handled each count as one failure. */
function closingLine(modules: readonly TestModule[], unhandled: number): string {
  const counts = { passed: 0, failed: unhandled + (modules.length === 0 ? 1 : 0), skipped: 0, pending: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) counts[test.result().state] += 1;
  }
  const skipped = counts.skipped + counts.pending;
  return `${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
