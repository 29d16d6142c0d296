/** One reason for an error: what is wrong, and where. */
export interface ErrorReason {
  /** A dotted path into the body, or the name of a parameter. */
  path?: string;
  /** Stable, such as `NAME_TAKEN`. The schema `ErrorDetail` of the API lists all codes. */
  code?: string;
  message: string;
}

/** A response with an error status. */
export class ApiError extends Error {
  /** The id of the operation, such as `flows.create`. */
  readonly operation: string;
  readonly status: number;
  /** The code of the first detail that has one. */
  readonly code: string | undefined;
  /** Empty if the response has another form, such as that of a proxy. */
  readonly details: readonly ErrorReason[];
  /** The kind of error in words: `Validation error`. */
  readonly title: string | undefined;
  /** For those who operate the service: their logs contain it. */
  readonly requestId: string | undefined;
  /** The body: parsed if it is JSON, else its text. */
  readonly body: unknown;

  constructor(operation: string, status: number, body: unknown, requestId?: string) {
    const { error, details, code } = membersOf(body);
    const reasons = reasonsIn(details);
    const said = reasons.map(({ path, message }) => (path ? `${path}: ${message}` : message));
    const title = typeof error === 'string' ? error : undefined;
    super(`${operation} failed with status ${status}: ${[title, ...said].filter(Boolean).join('. ')}`);
    this.name = 'ApiError';
    this.operation = operation;
    this.status = status;
    this.code = typeof code === 'string' ? code : reasons.find((reason) => reason.code)?.code;
    this.details = reasons;
    this.title = title;
    this.requestId = requestId;
    this.body = body;
  }
}

/** No response arrived, or its body ended early. */
export class ConnectionError extends Error {
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`${operation} got no response: ${reasonOf(cause)}`, { cause });
    this.name = 'ConnectionError';
    this.operation = operation;
  }
}

/** Node.js says `fetch failed`, and why in the cause of that. */
const reasonOf = (error: unknown): unknown =>
  error instanceof Error ? (error.cause instanceof Error && error.cause.message) || error.message : error;

const membersOf = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};

function reasonsIn(details: unknown): ErrorReason[] {
  if (typeof details === 'string') return details === '' ? [] : [{ message: details }];
  return Array.isArray(details) ? details.filter(isReason) : [];
}

function isReason(value: unknown): value is ErrorReason {
  const { path, code, message } = membersOf(value);
  return (
    typeof message === 'string' && [path, code].every((each) => ['string', 'undefined'].includes(typeof each))
  );
}
