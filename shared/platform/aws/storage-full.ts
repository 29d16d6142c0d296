import { ServiceError } from '../../core/errors/errors.ts';

interface Failure {
  message?: string;
  status?: number;
  $metadata?: { httpStatusCode?: number };
  cause?: unknown;
}

const full = 507;

/** Whether a store refused a write because its disk is full. AWS never does; the servers of the embedded stack do. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message = '', status, $metadata, cause } = error as Failure;
  // The second is what the engine of the table says, in a 500.
  return (
    (status ?? $metadata?.httpStatusCode) === full || /disk is full/.test(message) || isStorageFull(cause)
  );
}

export const createStorageFull = () =>
  new ServiceError(
    'STORAGE_FULL',
    'The disk of the service is full, so nothing can be written. Reads go on. The operator must free disk space; then send the request again',
    { retryAfterSeconds: 60 },
  );
