import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { type ErrorCode, ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { A2aRefusal, type RefusalKind } from './served-agent.ts';

const refusals: Record<RefusalKind, new (message: string) => A2AError> = {
  'not-cancelable': TaskNotCancelableError,
  unsupported: UnsupportedOperationError,
  'content-type': ContentTypeNotSupportedError,
  malformed: RequestMalformedError,
};

const services: Partial<Record<ErrorCode, new (message: string) => A2AError>> = {
  NOT_FOUND: TaskNotFoundError,
  VALIDATION: RequestMalformedError,
  CONFLICT: UnsupportedOperationError,
};

export const internalWords = (requestId: string) => `Internal error. Request ${requestId}`;

/** Tells the caller nothing but the request. It has been logged. */
class InternalError extends Error {}

/** An error as the protocol has it. Internal ones are logged, once. */
export function toA2aError(error: unknown, requestId: string): Error {
  if (error instanceof A2aRefusal) return new refusals[error.kind](error.message);
  if (error instanceof ServiceError) {
    const Kind = isOfTask(error) ? services[error.code] : UnsupportedOperationError;
    return new (Kind ?? UnsupportedOperationError)(toErrorMessage(error));
  }
  if (error instanceof A2AError || error instanceof InternalError) return error;
  log.error('An A2A request failed', { error });
  return new InternalError(internalWords(requestId));
}

/** A flow or an agent that was deleted is no missing task. */
const isOfTask = ({ code, message }: ServiceError) => code !== 'NOT_FOUND' || message.startsWith('Task');

const toErrorMessage = ({ message, details }: ServiceError) =>
  details.length === 0
    ? message
    : details.map((detail) => [detail.path, detail.message].filter(Boolean).join(': ')).join('\n');
