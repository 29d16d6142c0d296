import { A2AError } from '@a2a-js/sdk/errors';
import { StepError } from '../../core/errors/step-error.ts';
import { fetchFailure } from '../net/fetch-failure.ts';
import type { A2aEvent } from '../ports/a2a-port.ts';
import { HttpFailure } from './guarded-fetch.ts';

function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause;
}

const codeOf = (error: Error) => (error as { envelopeCode?: unknown }).envelopeCode;
const systemCodeOf = (error: Error) => (error as NodeJS.ErrnoException).code;

/** What an error of a client tells. @throws StepError for what is not in the words of the server. */
export function toA2aFailure(error: unknown, url: string): A2aEvent {
  const causes = [...causesOf(error)];
  const http = causes.find((cause) => cause instanceof HttpFailure);
  if (http) return { type: 'failure', failure: http.text, status: http.status };
  const known = causes.find((cause) => cause instanceof StepError);
  if (known) throw known;
  const refusal = causes.find((cause) => cause instanceof A2AError);
  if (refusal) return { type: 'failure', failure: refusal.message };
  if (causes.some((cause) => typeof systemCodeOf(cause) === 'string')) throw fetchFailure(error, url);
  throw new StepError('The agent does not follow the A2A protocol', { cause: error });
}

/** Invalid request, no such method, an operation that is not supported, and a version that the server does not have. */
const versionCodes: readonly unknown[] = [-32_600, -32_601, -32_004, -32_009];

export const isOtherVersion = (error: unknown) =>
  [...causesOf(error)].some((cause) => versionCodes.includes(codeOf(cause)));

const unconnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the server certainly did not accept the message: it was not connected, or it was too busy. */
export const isUnaccepted = (error: unknown) =>
  [...causesOf(error)].some(
    (cause) =>
      unconnected.has(systemCodeOf(cause) ?? '') ||
      (cause instanceof HttpFailure && (cause.status === 429 || cause.status === 503)),
  );
