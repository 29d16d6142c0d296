import { StepError } from './step-error.ts';

/** A call was not made, since it has to wait until then. Its run can be suspended; where it cannot, the step fails. */
export class RunMustWait extends StepError {
  readonly until: Date;

  constructor(until: Date, reason: string) {
    super(`${reason}; try again at ${until.toISOString()}`, { code: 'RATE_LIMITED' });
    this.until = until;
  }
}
