import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Machines are slow at times; what holds is seen at once.
    expect: { poll: { timeout: 15_000 } },
    setupFiles: 'test/support/restore.ts',
    pool: 'forks',
    isolate: false,
    // Most tests wait more than they compute: for time limits, streams, browsers.
    maxWorkers: 2 * availableParallelism(),
  },
});
