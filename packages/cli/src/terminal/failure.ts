import { styleText } from 'node:util';
import { ApiError, ConnectionError } from '../../../client/src/client.ts';
import { harmless } from './harmless.ts';

/** What went wrong, and what to do. */
function failureText(error: unknown): string {
  if (error instanceof ConnectionError) {
    return 'The service did not respond. Is it running? To use another one: agent-flow login --url <address>';
  }
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 401) return 'The key is not valid, or no longer. Run: agent-flow login';
  const reasons = error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  const text = [error.title ?? `The service responded with ${error.status}`, ...reasons].join('. ');
  return error.status >= 500 && error.requestId ? `${text} (request ${error.requestId})` : text;
}

/** On stderr, as text or as one line of JSON. */
export function reportFailure(error: unknown, isJson: boolean): void {
  const message = failureText(error);
  const { status, code } = error instanceof ApiError ? error : { status: undefined, code: undefined };
  const text = isJson
    ? JSON.stringify({ error: { message, status, code } })
    : styleText('red', harmless(message), { stream: process.stderr });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  process.stderr.write(`${text}\n`);
}
