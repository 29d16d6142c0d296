import type { DetailCode } from './error-codes.ts';

/** One thing that is wrong with a request. `path` is a dotted JSON path into the body, or a parameter's name. */
export interface ErrorDetail {
  path?: string;
  code: DetailCode;
  message: string;
}

/** What kind of failure it is. Each protocol maps these to its own answers: HTTP in `platform/http/http-errors.ts`. */
export type ErrorCode =
  | 'BUSY'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL'
  | 'MISSING_PERMISSION'
  | 'NOTHING_TO_RUN'
  | 'NOT_FOUND'
  | 'OUT_OF_TIME'
  | 'RATE_LIMITED'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'UNAUTHENTICATED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPSTREAM_FAILED'
  | 'VALIDATION';

interface More {
  /** What is wrong, one by one. Without it, the code and the message say all. */
  details?: readonly ErrorDetail[] | undefined;
  /** When the same request may succeed. */
  retryAfterSeconds?: number;
}

/** A failure that the caller may see. Any other error that is thrown is an internal one, whose message nobody sees. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, { details = [], retryAfterSeconds }: More = {}) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const hasCode = (error: unknown, code: ErrorCode): error is ServiceError =>
  error instanceof ServiceError && error.code === code;

/** Answers something in place of what is not there. For `catch`. */
export const ifMissing =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (hasCode(error, 'NOT_FOUND')) return answer;
    throw error;
  };

/** A detail, or the words of a failure whose code says all else. */
type Detail = ErrorDetail | string;
const errorOf = (code: ErrorCode, detail: Detail, more: More = {}) =>
  typeof detail === 'string'
    ? new ServiceError(code, detail, more)
    : new ServiceError(code, detail.message, { ...more, details: [detail] });

/** A body may be wrong in a hundred thousand places; nobody reads more than these. */
const detailsMax = 100;

export function invalid(details: readonly ErrorDetail[]) {
  const more = details.length - detailsMax;
  const listed = details.slice(0, detailsMax);
  if (more > 0)
    listed.push({ path: '', code: 'MORE_PROBLEMS', message: `There are ${more} more, not listed` });
  return new ServiceError('VALIDATION', 'Validation error', { details: listed });
}
export const invalidAt = (path: string, code: DetailCode, message: string) =>
  invalid([{ path, code, message }]);
export const unauthenticated = () => new ServiceError('UNAUTHENTICATED', 'The API key is invalid or missing');
export const forbidden = (detail: Detail) => errorOf('FORBIDDEN', detail);
/** @param code Why even a caller who holds the permission is refused, where that has a code of its own. */
export const missingPermission = (permission: string, code?: DetailCode) => {
  const message = `Missing required permission: ${permission}`;
  return errorOf('MISSING_PERMISSION', code ? { code, message } : message);
};
/** The same words for an id that never existed and for one of another tenant. */
export const notFound = (what: string, details?: readonly ErrorDetail[]) =>
  new ServiceError('NOT_FOUND', `${what} not found`, { details });
export const nothingToRun = (detail: Detail) => errorOf('NOTHING_TO_RUN', detail);
export const conflict = (detail: Detail) => errorOf('CONFLICT', detail);
export const tooLarge = (detail: Detail) => errorOf('TOO_LARGE', detail);
export const rateLimited = (window: 'Hourly' | 'Daily', limit: number, retryAfterSeconds: number) =>
  errorOf('RATE_LIMITED', `${window} limit of ${limit} requests reached`, { retryAfterSeconds });
/** Part of the work is done; sending the same request again continues it. */
export const outOfTime = (detail: Detail) => errorOf('OUT_OF_TIME', detail);
/** Nothing is done yet: other work, of this caller or of others, is in the way. */
export const serviceBusy = () =>
  errorOf('BUSY', 'Too many flows are being checked at the moment; send the request again later', {
    retryAfterSeconds: 10,
  });
