import fc from 'fast-check';

/** Milliseconds that a property may take in the suite. */
const BUDGET_MS = 2_000;
const { NEXUS_FUZZ_RUNS, NEXUS_FUZZ_SEED } = process.env;

/** How often a property runs: as often as the budget allows, or `NEXUS_FUZZ_RUNS` times. Says its seed. */
export function fuzzing(what: string): fc.Parameters<unknown> {
  const seed = Number(NEXUS_FUZZ_SEED ?? Date.now() % 1_000_000_007);
  console.info(`${what}: NEXUS_FUZZ_SEED=${seed} repeats this run`);
  if (NEXUS_FUZZ_RUNS !== undefined) return { seed, numRuns: Number(NEXUS_FUZZ_RUNS) };
  return { seed, numRuns: 100_000, interruptAfterTimeLimit: BUDGET_MS };
}

/** Long enough for any number of runs asked for by hand. */
export const FUZZ_TIMEOUT_MS = NEXUS_FUZZ_RUNS === undefined ? 30_000 : 3_600_000;

/** The first three times out of four, else one of the others. */
export function mostly<T>(usual: T, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Text cut into pieces anywhere, up to `most` times. */
export function inPieces(text: fc.Arbitrary<string>, most: number): fc.Arbitrary<string[]> {
  return fc.tuple(text, fc.array(fc.nat(4_000), { maxLength: most })).map(([whole, cuts]) => {
    const places = cuts.map((cut) => cut % (whole.length + 1)).toSorted((one, other) => one - other);
    return [...places, whole.length].map((end, index) => whole.slice(places[index - 1] ?? 0, end));
  });
}

/** The time limit ends a property while its last run is still under way: what follows must wait for that one. */
export class LatestRun {
  #run: Promise<unknown> = Promise.resolve();

  of<Inputs extends unknown[]>(
    run: (...inputs: Inputs) => Promise<void>,
  ): (...inputs: Inputs) => Promise<void> {
    return (...inputs) => {
      const running = run(...inputs);
      this.#run = running.catch(() => {});
      return running;
    };
  }

  async ended(): Promise<void> {
    await this.#run;
  }
}
