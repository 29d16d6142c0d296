import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';

export const statusError = (
  url: string,
  { status, headers }: { status: number; headers: Readonly<Record<string, string | undefined>> },
) => new StepError(`${url} answered ${status}`, failureOfStatus(status, headers['retry-after']));
