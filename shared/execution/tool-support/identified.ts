import type { HttpRequest } from '../../adapters/ports/http-port.ts';
import type { ToolRun } from './tool-runner.ts';

/** The request with the identity of its call as `Idempotency-Key`, unless the author set that header. */
export const identified = (
  request: HttpRequest,
  { callId }: Pick<ToolRun<unknown>, 'callId'>,
): HttpRequest =>
  callId === undefined ? request : { ...request, headers: { 'idempotency-key': callId, ...request.headers } };
