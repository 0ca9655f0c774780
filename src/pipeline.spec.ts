import { expect, it } from 'vitest';

import { FORWARDERS, STAGES } from './pipeline.js';

it('runs the stages in the order of the path', () => {
  expect(STAGES.map(({ name }) => name)).toEqual([
    'CorsGuardFactory',
    'IpListGuardFactory',
    'RateLimitGuardFactory',
    'AuthGuardFactory',
    'RolesGuardFactory',
    'IdentityLimitGuardFactory',
    'ExtensionUses',
  ]);
});

it('runs the stages between guards and upstream from the client inwards', () => {
  expect(FORWARDERS.map(({ name }) => name)).toEqual([
    'CompressionStage',
    'OwnCorsStage',
    'InterceptorStage',
    'ValidationStage',
    'RequestTransformStage',
    'CacheStage',
    'ResponseTransformStage',
    'UpstreamLimitStage',
  ]);
});
