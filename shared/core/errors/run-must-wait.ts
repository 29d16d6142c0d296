import { StepError } from './step-error.ts';

/** The longest wait that occupies a worker; a longer one suspends a run that can be continued. */
export const inPlaceMsMax = 10_000;

/** A call was not made, since it has to wait until then. Its run can be suspended; where it cannot, the step fails. */
export class RunMustWait extends StepError {
  readonly until: Date;

  constructor(until: Date, reason: string) {
    super(`${reason}; try again at ${until.toISOString()}`, { code: 'RATE_LIMITED' });
    this.until = until;
  }
}
