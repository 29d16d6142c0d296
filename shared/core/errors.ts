/** One thing that is wrong with a request. `path` is a dotted JSON path into the body, or a parameter's name. */
export interface ErrorDetail {
  path?: string;
  code: string;
  message: string;
}

/** The statuses whose `details` are a text. */
type TextStatus = 401 | 403 | 429;
export type ListStatus = 400 | 404 | 409 | 413 | 415 | 422 | 500 | 502 | 503 | 504;
export type ErrorStatus = TextStatus | ListStatus;
/** The `details` of a status: a text or a list of what is wrong, which may be missing. */
export type DetailsOf<S extends ErrorStatus> = S extends TextStatus ? string : ErrorDetail[] | undefined;

/** A failure that the caller may see. Everything else that is thrown leaves as a bare 500. */
export class ApiError<S extends ErrorStatus = ErrorStatus> extends Error {
  readonly status: S;
  readonly details: DetailsOf<S>;
  /** Members of the body beside `error` and `details`, where an error has some. */
  readonly extra: Record<string, string>;
  readonly headers: Record<string, string>;

  constructor(
    status: S,
    error: string,
    details: DetailsOf<S>,
    extra: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) {
    super(error);
    this.status = status;
    this.details = details;
    this.extra = extra;
    this.headers = headers;
  }
}

/** A detail, or the words of one whose code says no more than the status. */
type Detail = ErrorDetail | string;
const listOf = (code: string, detail: Detail): ErrorDetail[] => [
  typeof detail === 'string' ? { code, message: detail } : detail,
];

/** A body may be wrong in a hundred thousand places; nobody reads more than these. */
const detailsMax = 100;

export function invalid(details: readonly ErrorDetail[]) {
  const more = details.length - detailsMax;
  const listed = details.slice(0, detailsMax);
  if (more > 0)
    listed.push({ path: '', code: 'MORE_PROBLEMS', message: `There are ${more} more, not listed` });
  return new ApiError(400, 'Validation error', listed);
}
export const invalidAt = (path: string, code: string, message: string) => invalid([{ path, code, message }]);
export const unauthorized = () =>
  new ApiError(
    401,
    'Unauthorized',
    'The API key is invalid or missing',
    {},
    { 'WWW-Authenticate': 'Bearer' },
  );
export const forbidden = (details: string, extra?: Record<string, string>) =>
  new ApiError(403, 'Forbidden', details, extra);
export const missingPermission = (permission: string) =>
  forbidden(`Missing required permission: ${permission}`);
/** The same words for an id that never existed and for one of another tenant. */
export const notFound = (what: string, details?: ErrorDetail[]) =>
  new ApiError(404, `${what} not found`, details);
export const unprocessable = (detail: Detail) =>
  new ApiError(422, 'Unprocessable', listOf('NOTHING_TO_RUN', detail));
export const conflict = (detail: Detail) => new ApiError(409, 'Conflict', listOf('CONFLICT', detail));
export const tooLarge = (detail: Detail) =>
  new ApiError(413, 'Payload too large', listOf('TOO_LARGE', detail));
export const unsupportedMediaType = (expected: string) =>
  new ApiError(
    415,
    'Unsupported media type',
    listOf('UNSUPPORTED_MEDIA_TYPE', `Send the body as ${expected}`),
  );
export const rateLimited = (window: 'Hourly' | 'Daily', limit: number, secondsLeft: number) =>
  new ApiError(
    429,
    'Rate limit exceeded',
    `${window} limit of ${limit} requests reached`,
    {},
    { 'Retry-After': String(secondsLeft) },
  );
/** What anyone may know of a fault: where to look for it. */
export const internalError = (requestId: string) =>
  new ApiError(500, 'Internal server error', listOf('INTERNAL', `Request ${requestId}`));
/** How far the work got is not known. */
export const outOfTime = () =>
  new ApiError(
    504,
    'Gateway timeout',
    listOf('TIMEOUT', 'The request took too long and was ended; ask for less at once, or try again later'),
  );
/** Some of the work is done, and the same call, sent again, goes on with it. */
export const unavailable = (detail: Detail) =>
  new ApiError(503, 'Service unavailable', listOf('OUT_OF_TIME', detail));
/** Nothing is done yet: others' work, or the caller's own, is in the way. */
export const busy = () =>
  new ApiError(
    503,
    'Service unavailable',
    listOf('BUSY', 'Too many flows are being checked at the moment; send the request again later'),
    {},
    { 'Retry-After': '10' },
  );
