/** The failure of a step. The step's result shows its message. */
export class StepError extends Error {
  /** Whether a retry may succeed: after a network fault it may, with an invalid script it does not. */
  readonly retryable: boolean;
  /** For failures that callers tell apart. Neither a retry nor a fallback follows one. */
  readonly code: StepErrorCode | undefined;

  constructor(message: string, { retryable = false, code, cause }: StepErrorOptions = {}) {
    super(message, { cause });
    this.retryable = retryable;
    this.code = code;
  }
}

export type StepErrorCode = 'BUDGET_EXCEEDED' | 'RATE_LIMITED';

export interface StepErrorOptions {
  retryable?: boolean;
  code?: StepErrorCode | undefined;
  cause?: unknown;
}
