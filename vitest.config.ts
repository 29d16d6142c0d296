import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    setupFiles: 'test/support/restore.ts',
    pool: 'forks',
    isolate: false,
    // Some of the tests wait, for processes and for time to pass. A percentage would count as 100% at most.
    maxWorkers: 2 * availableParallelism(),
  },
});
