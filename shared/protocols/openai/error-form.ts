/**
 * Translates the service's errors into those of OpenAI's API, in responses and in streams that have begun.
 * OpenAI's packages decide by status, `type` and `code` whether to retry or to shorten a conversation, so each error of
 * the service has a counterpart here, and a code that the model's provider stated is passed on. Failures of the
 * tenant's own provider key are upstream failures and not the caller's.
 * A failed run gets a status after which the packages do not run it again. Models, flows and agents that do not exist
 * and those of other tenants get one text.
 * The endpoints in `functions/openai` name `openAiErrorBody`; the other functions are for the code in this folder.
 */
import * as z from 'zod';
import { ModelCallFailed } from '../../adapters/ports/model-port.ts';
import type { DetailCode } from '../../core/errors/error-codes.ts';
import {
  type ErrorCode,
  type ErrorDetail,
  invalidAt,
  notFound,
  ServiceError,
  tooManyAtOnce,
  unprocessable,
  upstreamFailed,
} from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import { type ErrorForm, toHttpError } from '../../platform/http/responses/http-errors.ts';

const charactersMax = 2_000;

/** OpenAI's codes of what is wrong with a member. */
const codesOfDetails: Readonly<Partial<Record<DetailCode, string>>> = {
  MISSING_REQUIRED_FIELD: 'missing_required_parameter',
  UNKNOWN_MEMBER: 'unknown_parameter',
  INVALID_TYPE: 'invalid_type',
  MALFORMED_JSON: 'invalid_json',
  NOT_SUPPORTED: 'unsupported_parameter',
  RUN_FAILED: 'run_failed',
  RUN_PAUSED: 'run_paused',
};

/** Of what is not found, by the member that names it. */
const codesOfMissing: Readonly<Record<string, string>> = {
  model: 'model_not_found',
  previous_response_id: 'previous_response_not_found',
};

const codesOfErrors: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'invalid_api_key',
  FORBIDDEN: 'insufficient_permissions',
  MISSING_PERMISSION: 'insufficient_permissions',
  BUDGET_EXCEEDED: 'insufficient_quota',
  RATE_LIMITED: 'rate_limit_exceeded',
  TOO_LARGE: 'request_too_large',
  VALIDATION: 'invalid_value',
  UPSTREAM_FAILED: 'upstream_error',
  TIMEOUT: 'timeout',
};

/** Clients look for the provider's own: `context_length_exceeded` makes them shorten a conversation. */
const toCode = ({ code, details: [detail], statedCode }: ServiceError): string | null =>
  statedCode ||
  (detail?.code === 'NOT_FOUND' && codesOfMissing[detail.path ?? '']) ||
  (detail && codesOfDetails[detail.code]) ||
  codesOfErrors[code] ||
  null;

function toType(statusCode: number): string {
  if (statusCode === 402) return 'insufficient_quota';
  if (statusCode === 429) return 'rate_limit_error';
  return statusCode < 500 ? 'invalid_request_error' : 'server_error';
}

/** `messages[0].content`, as OpenAI writes a path. */
const toParam = (path: string) => path.replace(/\.(\d+)(?=\.|$)/g, '[$1]');

const toLine = ({ path, message }: ErrorDetail) => (path ? `${toParam(path)}: ${message}` : message);

function toMessage({ message, details }: ServiceError): string {
  const [detail, ...others] = details;
  if (!detail) return truncate(message, charactersMax);
  // The member is in `param` already.
  const lines = others.length === 0 ? [detail.message] : details.map(toLine);
  return truncate(lines.join('\n'), charactersMax);
}

/** An error as OpenAI's packages read it, in a response or in a stream. */
const openAiError = (error: ServiceError, statusCode: number) => ({
  error: {
    message: toMessage(error),
    type: toType(statusCode),
    param: error.details[0]?.path ? toParam(error.details[0].path) : null,
    code: toCode(error),
  },
});

export const openAiErrorBody: ErrorForm = {
  bodyOf: openAiError,
  schema: z
    .object({
      error: z.object({
        message: z.string(),
        type: z.string(),
        param: z.string().nullable().describe('The member of the request, such as `messages[0].content`'),
        code: z.string().nullable(),
      }),
    })
    .meta({
      id: 'OpenAiError',
      examples: [
        {
          error: {
            message: 'The model `gpt-0` does not exist, or you have no access to it',
            type: 'invalid_request_error',
            param: 'model',
            code: 'model_not_found',
          },
        },
      ],
    }),
};

const retryAfterSeconds = 10;

/** One text for models, flows and agents that do not exist and those of other tenants. @param reason What is known of a model */
export const modelNotFound = (model: string, reason?: string) => {
  const message = `The model \`${model}\` does not exist, or you have no access to it${reason ? `: ${reason}` : ''}`;
  return notFound('Model', [{ path: 'model', code: 'NOT_FOUND', message }]);
};

export const notSupported = (path: string, message: string) => invalidAt(path, 'NOT_SUPPORTED', message);

/** The failure of a call of a model as the error of a request. All others stay as they are. */
export function toRequestError(error: unknown): unknown {
  if (!(error instanceof StepError)) return error;
  const { message, code, kind } = error;
  if (code === 'BUDGET_EXCEEDED') return new ServiceError('BUDGET_EXCEEDED', message);
  if (code === 'RATE_LIMITED' || kind === 'rate_limit') return tooManyAtOnce(message, retryAfterSeconds);
  if (kind === 'timeout') return new ServiceError('TIMEOUT', message);
  if (!(error instanceof ModelCallFailed)) return invalidAt('', 'INVALID_VALUE', message);
  const { status = 500, stated: { code: statedCode, param = '' } = {} } = error;
  // The provider refused the request of the caller, and not the key of the tenant.
  const isOfCaller = status < 500 && ![401, 403].includes(status);
  if (!isOfCaller) return upstreamFailed(message);
  const details = [{ path: param, code: 'INVALID_VALUE', message }] as const;
  return new ServiceError('VALIDATION', 'Validation error', { details, statedCode });
}

interface Ended {
  executionId: string;
  error: string | null;
  code?: string | undefined;
}

/** A run of a flow or an agent failed. The status is one after which OpenAI's packages do not run it again by themselves. */
export function runFailed({ executionId, error, code }: Ended): ServiceError {
  const message = `${error ?? 'The run failed'} (run ${executionId})`;
  if (code === 'BUDGET_EXCEEDED') return new ServiceError('BUDGET_EXCEEDED', message);
  if (code === 'RATE_LIMITED') return tooManyAtOnce(message, retryAfterSeconds);
  return unprocessable({ code: 'RUN_FAILED', message });
}

/** A run waits, which this interface cannot say. */
export const runPaused = (executionId: string) =>
  unprocessable({
    code: 'RUN_PAUSED',
    message: `The run ${executionId} waits for an approval, a tool of its caller or a time; GET /v1/runs/${executionId} shows it`,
  });

/** An error in a stream that has begun. */
export function errorInStream(error: unknown): object {
  const requestError = toRequestError(error);
  const shown =
    requestError instanceof ServiceError
      ? requestError
      : new ServiceError('INTERNAL', 'Internal server error');
  return openAiError(shown, toHttpError(shown).statusCode);
}
