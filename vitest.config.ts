import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { filesOf, projectNames } from './test/support/projects.ts';
import { LongAndShort } from './test/support/sequencer.ts';

const slow = process.env.TESTS === 'slow';
const withoutStack = ['unit', 'cdk'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Machines are slow at times; what holds is seen at once.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    isolate: false,
    // More than cores: most tests wait, for timers, queues and pages. A share such as '200%' would not exceed them.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongAndShort },
    projects: projectNames.map((name) => ({
      extends: true as const,
      test: {
        name,
        include: filesOf(name, { slow }),
        ...(!withoutStack.includes(name) && { globalSetup: 'test/support/global-setup.ts' }),
        ...(name !== 'unit' && { setupFiles: 'test/support/restore.ts' }),
      },
    })),
  },
});
