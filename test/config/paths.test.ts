import fc from 'fast-check';
import { expect, it } from 'vitest';

import { parseRoutePath, type RoutePath } from '../../src/config/route-path.js';
import { canonicalSegment } from '../../src/routing/canonical-path.js';

function parsed(path: string): RoutePath {
  try {
    return parseRoutePath(path);
  } catch (error) {
    if (error instanceof RangeError) return { segments: [], trailingSlash: false };
    throw error;
  }
}

it('a path that a document may hold is one that requests can have, in the same form', () => {
  const signs = fc.constantFrom(
    ...'ab.~%/2fFcC0_5|;{}:^"öé😀A\\'.split(''),
    '%2e',
    '%3b',
    '%C3%A9',
    '%c0%af',
    '%f0%80',
    '%41',
  );
  const texts = fc.oneof(
    fc.array(signs, { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const literals = parsed(`/${text}`).segments.flatMap((segment) =>
        'literal' in segment ? [segment.literal] : [],
      );
      expect(literals.map(canonicalSegment)).toEqual(literals);
    }),
    { numRuns: 5000 },
  );
});
