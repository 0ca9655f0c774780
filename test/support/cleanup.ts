import { afterAll, onTestFinished } from 'vitest';

type Close = () => unknown;

const untilFileEnds: Close[] = [];

/**
 * Closes a resource when the running test ends, or, when it was opened outside of a test (`beforeAll`), when
 * the file ends. So helpers never leak, also from tests that fail half-way. Last opened, first closed.
 */
export function closeAtEnd(close: Close): void {
  try {
    onTestFinished(async () => {
      await close();
    });
  } catch {
    untilFileEnds.push(close);
  }
}

afterAll(async () => {
  for (const close of untilFileEnds.splice(0).toReversed()) await close();
});
