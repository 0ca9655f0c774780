/** What is used of the package http-cache-tests, which has no types. */
interface CacheTest {
  readonly id: string;
  readonly name: string;
  /** Left out: required. `check` asks what a cache does; both answers are right. */
  readonly kind?: 'required' | 'optimal' | 'check';
  /** For caches of browsers. */
  readonly browser_only?: boolean;
  /** Ids of tests without whose pass this one says nothing. */
  readonly depends_on?: readonly string[];
}

interface CacheTestGroup {
  readonly id: string;
  readonly name: string;
  readonly tests: readonly CacheTest[];
}

declare module 'http-cache-tests/tests/index.mjs' {
  const groups: readonly CacheTestGroup[];
  export default groups;
}

declare module 'http-cache-tests/tests/surrogate-control.mjs' {
  const group: CacheTestGroup;
  export default group;
}

declare module 'http-cache-tests/client/runner.mjs' {
  /** `chunkSize`: how many tests run at a time. */
  export function runTests(
    groups: readonly CacheTestGroup[],
    fetch: unknown,
    browserCache: boolean,
    base: string,
    chunkSize?: number,
  ): Promise<void>;
  /** True for a pass, else the kind of error and what was wrong. */
  export function getResults(): Record<string, true | [kind: string, message: string]>;
}
