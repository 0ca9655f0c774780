import { expect, it } from 'vitest';

import { STAGES } from './pipeline.js';

it('runs the stages in the order of the path', () => {
  expect(STAGES.map(({ name }) => name)).toEqual([
    'CorsGuardFactory',
    'IpListGuardFactory',
    'RateLimitGuardFactory',
    'AuthGuardFactory',
    'RolesGuardFactory',
    'ExtensionUses',
  ]);
});
