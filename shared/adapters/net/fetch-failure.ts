import { failureOfStatus, StepError } from '../../core/errors/step-error.ts';

export class SlowServer extends StepError {}

export const slowServer = ({ url, timeoutMs }: { url: string; timeoutMs: number }) =>
  new SlowServer(`${url} did not answer within ${timeoutMs} ms`, { retryable: true, kind: 'timeout' });

/** Failures before anything was sent: without an address, a connection or a certificate. */
const beforeSending =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

/** The StepError for an error of fetch, which hides the reason in its causes. */
export function fetchFailure(error: unknown, url: string): StepError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StepError) return cause;
    const { code } = cause as NodeJS.ErrnoException;
    if (code)
      return new StepError(`${url} cannot be reached: ${code}`, {
        retryable: true,
        kind: 'network',
        undone: beforeSending.test(code),
        cause: error,
      });
  }
  const { message, cause } = error as Error;
  const words = cause instanceof Error ? cause.message : message;
  return new StepError(`${url} cannot be fetched: ${words}`, { cause: error });
}

export const statusError = (
  url: string,
  { status, headers }: { status: number; headers: Readonly<Record<string, string | undefined>> },
) => new StepError(`${url} answered ${status}`, failureOfStatus(status, headers['retry-after']));
