import type { Ports } from '../flows/ports.ts';
import { StepError } from '../flows/step.ts';
import { ApiError } from '../http/errors.ts';
import { recordStore } from '../records/record-store.ts';
import type { Scope } from '../runtime.ts';

/** The world as a deployed flow meets it, acting for the owner of the run. */
export const livePorts = (
  scope: Scope,
  { userId, organizationId }: { userId: string; organizationId: string | null },
): Ports => ({
  now: scope.now,
  // The heavy ones are loaded with the first step that needs them.
  model: async (request) => (await import('../models/call-model.ts')).callModel(request),
  fetch: async (request) => (await import('../net/safe-fetch.ts')).safeFetch(request),
  records: {
    upsert: async (record) => {
      try {
        return await recordStore(scope).upsert({ ...record, userId, organizationId });
      } catch (error) {
        throw error instanceof ApiError ? asStepError(error) : error;
      }
    },
  },
});

function asStepError(error: ApiError): StepError {
  const { details } = error;
  const reasons = Array.isArray(details) ? details.map(({ message }) => message).join('; ') : details;
  return new StepError(`The record was refused: ${reasons ?? error.message}`, {
    retryable: error.status === 409,
    cause: error,
  });
}
