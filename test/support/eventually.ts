import { vi } from 'vitest';

/** Waits until a check holds, as long as that may take on a busy machine. @returns what the check returns. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000, interval: 50 });
