import type * as z from 'zod';
import type { ErrorCode, ErrorDetail, ServiceError } from '../../../core/errors/errors.ts';
import { truncate } from '../../../core/text.ts';

interface Mapped {
  status: number;
  /** The `error` member of the body. By default, the error's message. */
  error?: string;
  headers?: Readonly<Record<string, string>>;
}

export const httpErrors = {
  VALIDATION: { status: 400, error: 'Validation error' },
  UNAUTHENTICATED: { status: 401, error: 'Unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } },
  BUDGET_EXCEEDED: { status: 402, error: 'Payment required' },
  FORBIDDEN: { status: 403, error: 'Forbidden' },
  MISSING_PERMISSION: { status: 403, error: 'Forbidden' },
  NOT_FOUND: { status: 404 },
  CONFLICT: { status: 409, error: 'Conflict' },
  // As the widget `@runtypelabs/persona` expects it.
  CLIENT_TOOLS_RESEND_REQUIRED: { status: 409, error: 'client_tools_resend_required' },
  TOO_LARGE: { status: 413, error: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, error: 'Unsupported media type' },
  UNPROCESSABLE: { status: 422, error: 'Unprocessable' },
  RATE_LIMITED: { status: 429, error: 'Rate limit exceeded' },
  INTERNAL: { status: 500, error: 'Internal server error' },
  RESPONSE_TOO_LARGE: { status: 500, error: 'Response too large' },
  UPSTREAM_FAILED: { status: 502, error: 'Bad gateway' },
  BUSY: { status: 503, error: 'Service unavailable' },
  OUT_OF_TIME: { status: 503, error: 'Service unavailable' },
  TIMEOUT: { status: 504, error: 'Gateway timeout' },
  STORAGE_FULL: { status: 507, error: 'Insufficient storage' },
} as const satisfies Record<ErrorCode, Mapped>;

/** Statuses whose `details` is a text, as the specification requires. For other statuses it is a list. */
export const textStatuses: readonly number[] = [401, 403, 429];

export interface HttpError {
  statusCode: number;
  body: { error: string; details: string | readonly ErrorDetail[]; code?: string };
  headers: Record<string, string>;
}

/** A message or a path may repeat a text of the request. A hundred of this length fit a response. */
const charactersMax = 2_000;

const shortenDetail = ({ path, code, message }: ErrorDetail): ErrorDetail => ({
  ...(path !== undefined && { path: truncate(path, charactersMax) }),
  code,
  message: truncate(message, charactersMax),
});

export function toHttpError(serviceError: ServiceError): HttpError {
  const { code, retryAfterSeconds, challenge } = serviceError;
  const message = truncate(serviceError.message, charactersMax);
  const details = serviceError.details.map(shortenDetail);
  const { status, error = message, headers }: Mapped = httpErrors[code];
  const [detail] = details;
  return {
    statusCode: status,
    body: textStatuses.includes(status)
      ? { error, details: message, ...(detail && { code: detail.code }) }
      : { error, details: detail ? details : [{ code: code as ErrorDetail['code'], message }] },
    headers: {
      ...headers,
      ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
  };
}

export interface ErrorForm {
  bodyOf: (error: ServiceError, statusCode: number) => object;
  /** Of the bodies, for the OpenAPI document. */
  schema: z.ZodType;
}

/** Errors in a form of their own, beside those of the service. */
export interface ProtocolErrors {
  /** What each of their statuses means. */
  statuses: Readonly<Partial<Record<number, string>>>;
  schema: z.ZodType;
}
