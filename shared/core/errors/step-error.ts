/** The failure of a step. The step's result shows its message. */
export class StepError extends Error {
  /** Whether a retry may succeed: after a network fault it may, with an invalid script it does not. */
  readonly retryable: boolean;
  /** For failures that callers tell apart. Neither a retry nor a fallback follows one. */
  readonly code: StepErrorCode | undefined;

  /** For the policy by which a step is tried again. */
  readonly kind: FailureKind | undefined;

  constructor(message: string, { retryable = false, code, kind, cause }: StepErrorOptions = {}) {
    super(message, { cause });
    this.retryable = retryable;
    this.code = code;
    this.kind = kind;
  }
}

export const failureKinds = ['timeout', 'rate_limit', 'server_error', 'network'] as const;
export type FailureKind = (typeof failureKinds)[number];

/** What the status of an HTTP response says of a retry. */
export function failureOfStatus(status: number): Pick<StepErrorOptions, 'retryable' | 'kind'> {
  if (status === 429) return { retryable: true, kind: 'rate_limit' };
  if (status === 408) return { retryable: true, kind: 'timeout' };
  return status >= 500 ? { retryable: true, kind: 'server_error' } : { retryable: false };
}

export type StepErrorCode = 'BUDGET_EXCEEDED' | 'RATE_LIMITED';

export interface StepErrorOptions {
  retryable?: boolean;
  code?: StepErrorCode | undefined;
  kind?: FailureKind | undefined;
  cause?: unknown;
}
