import type { DetailCode } from './error-codes.ts';

/** One error of a request. `path` is a dotted JSON path into the body, or the name of a parameter. */
export interface ErrorDetail {
  path?: string;
  code: DetailCode;
  message: string;
}

export const toDetail = (path: readonly PropertyKey[], code: DetailCode, message: string): ErrorDetail => ({
  path: path.map(String).join('.'),
  code,
  message,
});

/** The kind of failure. Each protocol maps it to its responses: HTTP in `http/responses/http-errors.ts`. */
export type ErrorCode =
  | 'BUDGET_EXCEEDED'
  | 'BUSY'
  | 'CLIENT_TOOLS_RESEND_REQUIRED'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'INTERNAL'
  | 'MISSING_PERMISSION'
  | 'UNPROCESSABLE'
  | 'NOT_FOUND'
  | 'OUT_OF_TIME'
  | 'RATE_LIMITED'
  | 'RESPONSE_TOO_LARGE'
  | 'STORAGE_FULL'
  | 'TIMEOUT'
  | 'TOO_LARGE'
  | 'UNAUTHENTICATED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'UPSTREAM_FAILED'
  | 'VALIDATION';

interface More {
  /** The individual errors. Without them, the code and the message say everything. */
  details?: readonly ErrorDetail[] | undefined;
  retryAfterSeconds?: number;
  /** For UNAUTHENTICATED: how to get a credential, as the header WWW-Authenticate says it. */
  challenge?: string | undefined;
  /** What the server behind, which refused, calls the error. */
  statedCode?: string | undefined;
}

/** A failure that callers may see. Any other error is internal; its message is never returned. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: string | undefined;
  readonly statedCode: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { details = [], retryAfterSeconds, challenge, statedCode }: More = {},
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfterSeconds = retryAfterSeconds;
    this.challenge = challenge;
    this.statedCode = statedCode;
  }
}

export const hasCode = (error: unknown, code: ErrorCode): error is ServiceError =>
  error instanceof ServiceError && error.code === code;

/** Returns a fallback for errors with a code. For `catch`. */
export const ifCode =
  <T>(code: ErrorCode, answer: T) =>
  (error: unknown): T => {
    if (hasCode(error, code)) return answer;
    throw error;
  };

export const ifMissing = <T>(answer: T) => ifCode('NOT_FOUND', answer);

/** A detail, or a message for a failure whose code says the rest. */
type Detail = ErrorDetail | string;
const createError = (code: ErrorCode, detail: Detail, more: More = {}) =>
  typeof detail === 'string'
    ? new ServiceError(code, detail, more)
    : new ServiceError(code, detail.message, { ...more, details: [detail] });

/** Limits the listed errors: a body may have a hundred thousand. */
const detailsMax = 100;

export function invalid(details: readonly ErrorDetail[]) {
  const more = details.length - detailsMax;
  const listed = details.slice(0, detailsMax);
  if (more > 0)
    listed.push({ path: '', code: 'MORE_PROBLEMS', message: `${more} more errors are not listed` });
  return new ServiceError('VALIDATION', 'Validation error', { details: listed });
}
export const invalidAt = (path: string, code: DetailCode, message: string) =>
  invalid([{ path, code, message }]);
export const unauthenticated = (message = 'The API key is invalid or missing') =>
  new ServiceError('UNAUTHENTICATED', message);
export const forbidden = (detail: Detail) => createError('FORBIDDEN', detail);
/**
 * @param permission A list: any of these. @param code Explains a refusal that does not depend on the caller's permissions.
 */
export const missingPermission = (permission: string | readonly string[], code?: DetailCode) => {
  const message = `Missing required permission: ${[permission].flat().join(' or ')}`;
  return createError('MISSING_PERMISSION', code ? { code, message } : message);
};
/** One message for unknown ids and for those of other tenants. */
export const notFound = (what: string, details?: readonly ErrorDetail[]) =>
  new ServiceError('NOT_FOUND', `${what} not found`, { details });
/** @param method With `path`, also a variable of API Gateway. */
export const noSuchEndpoint = (method: string, path: string) => {
  const message = `No such endpoint: ${method} ${path}. Check the method, and the path for a typing error or a double slash`;
  return new ServiceError('NOT_FOUND', 'Not found', { details: [{ code: 'NO_SUCH_ENDPOINT', message }] });
};
export const unprocessable = (detail: ErrorDetail) => createError('UNPROCESSABLE', detail);
export const conflict = (detail: Detail) => createError('CONFLICT', detail);
export const tooLarge = (detail: Detail) => createError('TOO_LARGE', detail);
export const rateLimited = (
  window: 'Minutely' | 'Hourly' | 'Daily',
  limit: number,
  retryAfterSeconds: number,
) => createError('RATE_LIMITED', `${window} limit of ${limit} requests reached`, { retryAfterSeconds });
/** Another server, which the caller named, failed. */
export const upstreamFailed = (message: string) =>
  createError('UPSTREAM_FAILED', { code: 'UPSTREAM_FAILED', message });
/** Too much of the caller's earlier work is unfinished. */
export const tooManyAtOnce = (message: string, retryAfterSeconds: number) =>
  createError('RATE_LIMITED', message, { retryAfterSeconds });
/** Another server, which the deployment needs, does not respond. */
export const unavailable = (message: string) =>
  createError('BUSY', { code: 'UPSTREAM_FAILED', message }, { retryAfterSeconds: 5 });
/** Part of the work is done. Sending the same request again continues it. */
export const outOfTime = (detail: Detail) => createError('OUT_OF_TIME', detail);
/** Nothing is done yet: the service is busy with other work. */
export const serviceBusy = () =>
  createError('BUSY', 'The service has too much to check at the moment. Send the request again later', {
    retryAfterSeconds: 10,
  });
