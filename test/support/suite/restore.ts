import { afterAll, vi } from 'vitest';

const environment = { ...process.env };

// Files share their workers, so that packages such as the AWS SDK are loaded once a worker. Nothing of one file is left
// for the next: neither environment nor what modules of this project remember.
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.resetModules();
});
