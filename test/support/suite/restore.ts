import { afterAll, afterEach, beforeEach, vi } from 'vitest';

function restoreEnvironment(environment: NodeJS.ProcessEnv) {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

const environment = { ...process.env };
let before = environment;

// What a test sets is not left for the next one, whichever that is. What its file sets for all of them stays.
beforeEach(() => {
  before = { ...process.env };
});
afterEach(() => restoreEnvironment(before));

// Files share their workers and modules, as the requests of a Lambda do. Nothing else of one file is left for the next.
afterAll(() => {
  restoreEnvironment(environment);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
