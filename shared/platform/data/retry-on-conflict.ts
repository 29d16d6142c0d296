import { backOff } from './commit.ts';
import { ConditionFailed } from './condition-failed.ts';

export interface RetryOptions {
  /** How often the work is done at most. */
  attempts?: number;
  isConflict?: (error: unknown) => boolean;
  /** Makes the error that is thrown after the last attempt, in place of the conflict itself. */
  conflictError?: () => Error;
}

/**
 * Does work that reads and then writes, and does it anew when another writer came between: the second time at once,
 * then with pauses.
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
