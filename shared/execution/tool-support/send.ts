/** The HTTP request of a tool: its URL from the call's arguments, and its sending under the identity of the call. */
import type { HttpResponse } from '../../adapters/ports/http-port.ts';
import { createFiller } from '../../adapters/templates/filler.ts';
import { getTraceHeaders } from '../../core/active-span.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { urlPart } from '../../core/text.ts';
import { isHostFixed } from '../../domain/tools/tool-types/request-config.ts';
import { type PlannedRequest, requestTimeoutMs, toKeyHeader } from '../step-support/http-request.ts';
import type { ToolPerforming, ToolPlanning } from './tool-runner.ts';

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

/** Arguments are percent-encoded: none can add a query, leave its path part or change a host that is no template. */
export async function renderToolUrl({
  config: { url },
  variables,
  render,
  ports,
}: ToolPlanning<{ url: string }>) {
  if (!isHostFixed(url)) return (await render(url)).trim();
  const { secrets, ...args } = variables;
  const encoded = { ...(encodeDeep(args) as object), secrets };
  const filled = (await createFiller(encoded, ports.sandbox).render(url)).trim();
  if (!leavesPath(filled)) return filled;
  throw new StepError('An argument in the URL must not be "." or "..": it would lead out of the path');
}

function encodeDeep(value: unknown): unknown {
  if (typeof value === 'string') return urlPart(value);
  if (Array.isArray(value)) return value.map(encodeDeep);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [urlPart(name), encodeDeep(member)]),
  );
}

const leavesPath = (url: string) =>
  (url.split(/[?#]/, 1)[0] ?? '').split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
