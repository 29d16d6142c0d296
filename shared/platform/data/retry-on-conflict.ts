import { backOff } from './commit.ts';
import { ConditionFailed } from './condition-failed.ts';

export interface RetryOptions {
  /** The largest number of attempts. */
  attempts?: number;
  isConflict?: (error: unknown) => boolean;
  /** Creates the error to throw after the last attempt, in place of the conflict. */
  conflictError?: () => Error;
}

/**
 * Runs work that reads and then writes, and repeats it after a conflict with another writer: the first retry at once,
 * further ones after a pause.
 */
export async function retryOnConflict<T>(
  work: () => Promise<T>,
  { attempts = 5, isConflict = isConditionFailed, conflictError }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt >= attempts) throw conflictError?.() ?? error;
    }
    if (attempt > 1) await backOff(attempt - 1);
  }
}

export const isConditionFailed = (error: unknown): error is ConditionFailed =>
  error instanceof ConditionFailed;
