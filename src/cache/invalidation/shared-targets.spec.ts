import { expect, it } from 'vitest';

import { mayShareTargets } from './shared-targets.js';

const of = (path: string, exact = false, hosts: string[] = []) => ({ path, exact, hosts });

it.each([
  [of('/a'), of('/a'), true],
  [of('/a'), of('/a/b/c'), true],
  [of('/'), of('/a'), true],
  [of('/a'), of('/ab'), false],
  [of('/a/{id}'), of('/a/b'), true],
  [of('/a/{id}/x'), of('/a/b/y'), false],
  [of('/a', true), of('/a/b'), false],
  [of('/a/b', true), of('/a'), true],
  [of('/a', false, ['x.example']), of('/a', false, ['y.example']), false],
  [of('/a', false, ['x.example']), of('/a', false, ['*.example']), true],
  [of('/a', false, ['x.example']), of('/a'), true],
])('%j and %j: %s', (a, b, shared) => {
  expect([mayShareTargets(a, b), mayShareTargets(b, a)]).toEqual([shared, shared]);
});
