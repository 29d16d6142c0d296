import { ModelCallFailed } from '../../adapters/ports/model-port.ts';
import {
  invalidAt,
  notFound,
  ServiceError,
  tooManyAtOnce,
  unprocessable,
  upstreamFailed,
} from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { toHttpError } from '../../platform/http/responses/http-errors.ts';
import { openAiError } from './error-form.ts';

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
