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
    // By default one core is left to vitest itself.
    maxWorkers: '100%',
  },
});
