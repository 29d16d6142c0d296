import { ResponseError } from '../../../functions/client.ts';
import { SessionEnded } from '../session/credential.ts';

/** Repeats what may succeed the next time: never what the API refused, and nothing after the session has ended. */
export const retriesOf = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof SessionEnded) && !(error instanceof ResponseError && error.status < 500);
