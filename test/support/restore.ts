import { afterAll, vi } from 'vitest';

// Files share their workers, so that packages such as the AWS SDK are loaded once a worker. Nothing of one file is left
// for the next: neither environment nor what modules of this project remember.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
});
