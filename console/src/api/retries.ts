import { ResponseError } from '../../../functions/client.ts';

/** Repeats what may succeed the next time: never what the API refused. */
export const retriesOf = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof ResponseError && error.status < 500);
