import type { HttpResponse } from '../../adapters/ports/http-port.ts';
import { getTraceHeaders } from '../../core/active-span.ts';
import { type PlannedRequest, requestTimeoutMs, toKeyHeader } from '../step-support/http-request.ts';
import type { ToolPerforming } from './tool-runner.ts';

interface Limited {
  timeoutMs?: number | undefined;
}

/** Sends the request with the identity of its call as `Idempotency-Key`, unless the author set that header. */
export const send = (
  request: PlannedRequest,
  { config: { timeoutMs: timeout }, ports, signal, callId }: ToolPerforming<Limited>,
): Promise<HttpResponse> =>
  ports.fetch({
    ...request,
    headers: {
      ...(callId !== undefined && toKeyHeader(callId)),
      ...getTraceHeaders(),
      ...request.headers,
    },
    timeoutMs: requestTimeoutMs({ timeout }),
    signal,
  });

export const toShownRequest = (
  { method, url, headers, body }: PlannedRequest,
  { timeoutMs: timeout }: Limited,
) => ({
  method,
  url,
  headers,
  ...(body !== undefined && { body }),
  timeoutMs: requestTimeoutMs({ timeout }),
});
