import { StepError } from '../../core/errors/step-error.ts';

export const statusError = (url: string, status: number) =>
  new StepError(`${url} answered ${status}`, { retryable: status === 429 || status >= 500 });
