/** The failure of a step. The step's result shows its message. */
export class StepError extends Error {
  /** Whether a retry may succeed: after a network fault it may, with an invalid script it does not. */
  readonly retryable: boolean;

  constructor(message: string, { retryable = false, cause }: StepErrorOptions = {}) {
    super(message, { cause });
    this.retryable = retryable;
  }
}

export interface StepErrorOptions {
  retryable?: boolean;
  cause?: unknown;
}
