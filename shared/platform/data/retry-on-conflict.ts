import { ConditionFailed } from './condition-failed.ts';
import { backOff } from './retry-contention.ts';

/** With pauses up to a second, 60 writers of an item succeed within 25 attempts (D189). */
const defaultAttempts = 40;
const pauseMsMax = 1_000;

export interface RetryOptions {
  /** The largest number of attempts. Default: 40, so that 50 concurrent additions to one item all succeed. */
  attempts?: number;
  isConflict?: (error: unknown) => boolean;
  /** Creates the error to throw after the last attempt, in place of the conflict. */
  conflictError?: () => Error;
}

/** The first retry after a conflict follows at once, further ones after a pause. */
export async function retryOnConflict<T>(
  work: () => Promise<T>,
  { attempts = defaultAttempts, isConflict = isConditionFailed, conflictError }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt >= attempts) throw conflictError?.() ?? error;
    }
    if (attempt > 1) await backOff(attempt - 1, pauseMsMax);
  }
}

export const isConditionFailed = (error: unknown): error is ConditionFailed =>
  error instanceof ConditionFailed;
