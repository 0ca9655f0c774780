import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Nest needs the constructor types that the decorators record.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  test: {
    include: ['src/**/*.spec.ts', 'test/**/*.test.ts'],
    reporters: ['default', './test/support/closing-line.ts'],
    // Real sockets and child processes: a crowded machine must not fail a right answer.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most of them wait for sockets and timers: one for each core would leave the cores idle.
    maxWorkers: 3,
  },
});
