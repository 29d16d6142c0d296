import { afterAll, vi } from 'vitest';

const environment = { ...process.env };

// Files share their workers and modules, as the requests of a Lambda do. Nothing else of one file is left for the next.
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
