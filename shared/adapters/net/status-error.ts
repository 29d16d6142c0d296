import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';

export const statusError = (url: string, status: number) =>
  new StepError(`${url} answered ${status}`, failureOfStatus(status));
