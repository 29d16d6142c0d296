import { ApiError } from '../../../packages/client/src/client.ts';
import { SessionEnded } from '../session/credential.ts';

/** Repeats what may succeed the next time: never what the API refused, and nothing after the session has ended. */
export const shouldRetry = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof SessionEnded) && !(error instanceof ApiError && error.status < 500);

/** As often as the API lets one ask. */
const limitedMs = 30_000;

/** When a screen that asks regularly asks again: not after a refusal, which stays the same until somebody does something. */
export function nextAskMs(everyMs: number | false, error: Error | null): number | false {
  if (everyMs === false || !(error instanceof ApiError) || error.status >= 500) return everyMs;
  return error.status === 429 ? Math.max(everyMs, limitedMs) : false;
}
