import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { type ProjectName, projectFiles, projectNames } from './test/support/suite/projects.ts';
import { LongAndShort } from './test/support/suite/sequencer.ts';

const slow = process.env.TESTS === 'slow';
const cores = availableParallelism();
/** Files that share modules: Node itself loads them, once a worker. Vite would transform each (D188). */
const native = { experimental: { viteModuleRunner: false, nodeLoader: false } };
const stack = {
  globalSetup: 'test/support/suite/global-setup.ts',
  setupFiles: ['test/support/suite/restore.ts'],
};
const settings = {
  unit: native,
  service: { ...native, ...stack },
  fresh: stack,
  // After the others and without more workers than cores: each loads the CDK, and none waits.
  cdk: { ...native, maxWorkers: cores, sequence: { groupOrder: 1 } },
  // The long tests of pages not beside those that kill processes, which keep the machine busy.
  console: { ...native, ...stack, sequence: { groupOrder: slow ? 2 : 0 } },
  process: { ...native, ...stack },
} satisfies Record<ProjectName, object>;

export default defineConfig({
  test: {
    testTimeout: process.env.PAGES_SEED ? 180_000 : 60_000,
    hookTimeout: 120_000,
    // Machines are slow at times; what holds is seen at once.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    isolate: false,
    // More than cores: most tests wait, for timers, queues and pages. A share such as '200%' would not exceed them.
    maxWorkers: Math.ceil((slow ? 2 : 2.5) * cores),
    sequence: { sequencer: LongAndShort },
    // The CDK's own check of templates, which only warns; `npm run synth` prints what it finds.
    env: { CDK_VALIDATION: 'false' },
    projects: projectNames.map((name) => ({
      extends: true as const,
      test: { name, include: projectFiles(name, { slow }), ...settings[name] },
    })),
  },
});
