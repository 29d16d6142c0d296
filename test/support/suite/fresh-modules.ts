import { afterAll, vi } from 'vitest';

// Imported by tests that change what modules of this project read once, such as the addresses of AWS. Their project
// loads the modules anew for each file.
afterAll(() => {
  vi.resetModules();
});
