import * as z from 'zod';
import type { ServiceError } from '../../core/errors/errors.ts';
import { truncate } from '../../core/text.ts';
import type { ErrorForm } from '../../platform/http/responses/http-errors.ts';

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** An error outside of the protocol's own, as its HTTP+JSON binding has errors (A2A 1.0, §11.6; AIP-193). */
function toRestBody(error: ServiceError, statusCode: number): object {
  const status = statusNames[statusCode] ?? (statusCode < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return {
    error: { code: statusCode, status, message: toErrorMessage(error), details: [toErrorInfo(error)] },
  };
}

/** The same as JSON-RPC has errors. The id of a request that was not read is null. */
function toRpcBody(error: ServiceError, statusCode: number): object {
  const isMalformed = error.details.some((detail) => detail.code === 'MALFORMED_JSON');
  const code = isMalformed ? -32_700 : statusCode < 500 ? -32_600 : -32_603;
  const said = isContentType(error) ? { code: -32_005, data: [toErrorInfo(error)] } : { code };
  return { jsonrpc: '2.0', id: null, error: { message: toErrorMessage(error), ...said } };
}

/** The protocol has one of our errors: bodies that are no JSON. */
const isContentType = ({ code }: ServiceError) => code === 'UNSUPPORTED_MEDIA_TYPE';

const toErrorInfo = (error: ServiceError) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: isContentType(error) ? 'CONTENT_TYPE_NOT_SUPPORTED' : error.code,
  domain: 'a2a-protocol.org',
});

const charactersMax = 2_000;

const toErrorMessage = ({ message, details }: ServiceError) => {
  const places = details.map((detail) => [detail.path, detail.message].filter(Boolean).join(': '));
  return truncate([message, ...places].join('\n'), charactersMax);
};

const errorInfo = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'TASK_NOT_FOUND',
  domain: 'a2a-protocol.org',
};

export const restErrorBody: ErrorForm = {
  bodyOf: toRestBody,
  schema: z
    .object({
      error: z.object({
        code: z.int().describe('The status of the response'),
        status: z.string(),
        message: z.string(),
        details: z.array(z.looseObject({ '@type': z.string() })),
      }),
    })
    .meta({
      id: 'A2aRestError',
      examples: [
        { error: { code: 404, status: 'NOT_FOUND', message: 'Task not found', details: [errorInfo] } },
      ],
    }),
};

export const rpcErrorBody: ErrorForm = {
  bodyOf: toRpcBody,
  schema: z
    .object({
      jsonrpc: z.literal('2.0'),
      id: z.union([z.string(), z.number()]).nullable(),
      error: z.object({
        code: z.int(),
        message: z.string(),
        data: z.array(z.looseObject({ '@type': z.string() })).optional(),
      }),
    })
    .meta({
      id: 'A2aRpcError',
      examples: [{ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Malformed JSON' } }],
    }),
};
