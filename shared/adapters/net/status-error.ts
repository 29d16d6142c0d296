import { StepError } from '../../core/errors/step-error.ts';

/** The failure of a request that a server answered with 400 or more. */
export const statusError = (url: string, status: number) =>
  new StepError(`${url} answered ${status}`, { retryable: status === 429 || status >= 500 });
