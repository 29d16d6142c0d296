/** The failure of a step. The step's result shows its message. */
export class StepError extends Error {
  /** Whether a retry may succeed: after a network fault it may, with an invalid script it does not. */
  readonly retryable: boolean;
  /** For failures that callers tell apart. Neither a retry nor a fallback that asks again follows one by itself. */
  readonly code: StepErrorCode | undefined;

  /** For the policy by which a step is tried again. */
  readonly kind: FailureKind | undefined;
  /** Whether it is certain that nothing was done: the other side was not reached, or refused before it began. */
  readonly undone: boolean;
  /** How long the other side asks to wait before the next try, from the failure on. */
  readonly askedMs: number | undefined;
  /** Whether it failed because its output is empty, for fallbacks that follow that. */
  readonly emptyOutput: boolean;

  constructor(
    message: string,
    {
      retryable = false,
      code,
      kind,
      undone = false,
      askedMs,
      emptyOutput = false,
      cause,
    }: StepErrorOptions = {},
  ) {
    super(message, { cause });
    this.retryable = retryable;
    this.code = code;
    this.kind = kind;
    this.undone = undone;
    this.askedMs = askedMs;
    this.emptyOutput = emptyOutput;
  }
}

export const failureKinds = ['timeout', 'rate_limit', 'server_error', 'network'] as const;
export type FailureKind = (typeof failureKinds)[number];

/**
 * What the status of an HTTP response says of a retry. With 429 the server did not begin, with 408 it did not have the whole
 * request, with 503 and a time it tells when to send it; any other 5xx may come after the work (RFC 9110, RFC 6585).
 */
export function failureOfStatus(
  status: number,
  retryAfter?: string | null,
): Pick<StepErrorOptions, 'retryable' | 'kind' | 'undone' | 'askedMs'> {
  const askedMs = retryAfterMs(retryAfter, new Date());
  if (status === 429) return { retryable: true, kind: 'rate_limit', undone: true, askedMs };
  if (status === 408) return { retryable: true, kind: 'timeout', undone: true, askedMs };
  if (status < 500) return { retryable: false };
  const undone = status === 503 && typeof retryAfter === 'string';
  return { retryable: true, kind: 'server_error', undone, askedMs };
}

/** `OUTCOME_UNKNOWN`: what acts may have been done, and may not (D266). */
export type StepErrorCode = 'BUDGET_EXCEEDED' | 'RATE_LIMITED' | 'OUTCOME_UNKNOWN';

export interface StepErrorOptions {
  retryable?: boolean;
  code?: StepErrorCode | undefined;
  kind?: FailureKind | undefined;
  undone?: boolean | undefined;
  askedMs?: number | undefined;
  emptyOutput?: boolean | undefined;
  cause?: unknown;
}

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

/** The wait that `Retry-After` asks for, in seconds or as a date (RFC 9110). Undefined if it asks for none. */
export function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (text === '') return undefined;
  const seconds = Number(text);
  const ms = Number.isNaN(seconds) ? Date.parse(text) - now.getTime() : seconds * 1_000;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
