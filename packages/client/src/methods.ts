import type { Operations } from './api.ts';

/** The id of an operation: `flows.create`. */
export type OperationId = keyof Operations;

/** What every request may have. */
export interface RequestSettings {
  signal?: AbortSignal | undefined;
  /** Whether a browser sends it also when the page is left. Bodies of up to 64 KB. */
  keepalive?: boolean | undefined;
  /** Of a POST. By default, each call has a new one, which its retries keep. */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `traceparent`. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The arguments of an operation: `params`, `query` and `body`, as far as it has them. */
export type OperationRequest<Id extends OperationId> = Operations[Id]['request'] & RequestSettings;

/** The body of the response. */
export type OperationResponse<Id extends OperationId> = Operations[Id]['response'];

/** The operations that can stream server-sent events. */
export type StreamingOperation = {
  [Id in OperationId]: Operations[Id] extends { event: unknown } ? Id : never;
}[OperationId];

/** An event of a stream. */
export type OperationEvent<Id extends StreamingOperation> = Operations[Id] extends { event: infer Event }
  ? Event
  : never;

/** The operations that return a list in pages. */
export type PagedOperation = {
  [Id in OperationId]: Operations[Id] extends { item: unknown } ? Id : never;
}[OperationId];

/** An item of a list. */
export type OperationItem<Id extends PagedOperation> = Operations[Id] extends { item: infer Item }
  ? Item
  : never;

/** The request may be omitted if none of its members is required. */
export type Arguments<Id extends OperationId> =
  object extends OperationRequest<Id> ? [request?: OperationRequest<Id>] : [request: OperationRequest<Id>];

/** Sends a request. @throws ApiError or ConnectionError */
export type Call<Id extends OperationId> = (...args: Arguments<Id>) => Promise<OperationResponse<Id>>;

export interface Streams<Id extends StreamingOperation> {
  /**
   * Yields events as they arrive. Leaving the loop closes the connection.
   * @throws ApiError or ConnectionError
   */
  stream: (...args: Arguments<Id>) => AsyncGenerator<OperationEvent<Id>, void, undefined>;
}

export interface Iterates<Id extends PagedOperation> {
  /**
   * Yields each item of all pages. Reads a page when its first item is needed.
   * @throws ApiError or ConnectionError
   */
  iterate: (...args: Arguments<Id>) => AsyncGenerator<OperationItem<Id>, void, undefined>;
}
