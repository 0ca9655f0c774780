import { expect, it } from 'vitest';

import { mirroredLines } from './mirrored-lines.js';

it('marks a copy once, whatever the client sent', () => {
  const lines = ['A', '1', 'x-gateway-MIRROR', '0', 'X-Gateway-Version', 'v'];
  expect(mirroredLines(lines)).toEqual(['A', '1', 'X-Gateway-Version', 'v', 'X-Gateway-Mirror', '1']);
  expect(lines).toHaveLength(6);
});
