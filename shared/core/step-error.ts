/** A step that could not do its work. Its message is shown in the step's result. */
export class StepError extends Error {
  /** Whether the same step may succeed when it is tried again: a network fault may, a wrong script may not. */
  readonly retryable: boolean;

  constructor(message: string, { retryable = false, cause }: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryable = retryable;
  }
}
