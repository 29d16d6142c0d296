/** One thing that is wrong with a request. `path` is a dotted JSON path into the body, or a parameter's name. */
export interface ErrorDetail {
  path?: string;
  code: string;
  message: string;
}

/**
 * A failure that the caller may see. Everything else that is thrown leaves as a bare 500.
 * 401, 403 and 429 carry `details: string`, 400 a list, the others one or none (specification, "Errors").
 */
export class ApiError extends Error {
  readonly status: number;
  readonly details: string | ErrorDetail[] | undefined;
  /** Members of the body beside `error` and `details`, where the contract names some. */
  readonly extra: Record<string, string>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    error: string,
    details?: string | ErrorDetail[],
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

export const invalid = (...details: ErrorDetail[]) => new ApiError(400, 'Validation error', details);
export const invalidAt = (path: string, code: string, message: string) => invalid({ path, code, message });
export const unauthorized = () => new ApiError(401, 'Unauthorized', 'The API key is invalid or missing');
export const forbidden = (details: string, extra?: Record<string, string>) =>
  new ApiError(403, 'Forbidden', details, extra);
export const missingPermission = (permission: string) =>
  forbidden(`Missing required permission: ${permission}`);
/** The same words for an id that never existed and for one of another tenant. */
export const notFound = (what: string, ids: readonly string[] = []) =>
  new ApiError(404, `${what} not found`, ids.length > 0 ? ids.slice(0, 10).join(', ') : undefined);
export const unprocessable = (details: ErrorDetail | string) =>
  new ApiError(422, 'Unprocessable', typeof details === 'string' ? details : [details]);
export const conflict = (details: ErrorDetail | string) =>
  new ApiError(409, 'Conflict', typeof details === 'string' ? details : [details]);
export const tooLarge = (details: string) => new ApiError(413, 'Payload too large', details);
export const unsupportedMediaType = (expected: string) =>
  new ApiError(415, 'Unsupported media type', `Send the body as ${expected}`);
export const rateLimited = (window: 'Hourly' | 'Daily', limit: number, secondsLeft: number) =>
  new ApiError(
    429,
    'Rate limit exceeded',
    `${window} limit of ${limit} requests reached`,
    {},
    { 'Retry-After': String(secondsLeft) },
  );
/** Some of the work is done, and the same call, sent again, goes on with it. */
export const unavailable = (details: string) => new ApiError(503, 'Service unavailable', details);
