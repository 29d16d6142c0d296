import { missingPermission } from '../../../shared/core/errors/errors.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';

/** The body of a 404. */
export const notFoundBody = (what: string) => ({
  error: `${what} not found`,
  details: [{ code: 'NOT_FOUND', message: `${what} not found` }],
});

/** The body of a 403 at an endpoint. Protocols have a form of errors of their own. */
export function refusalBody({ errorBody }: Pick<AnyEndpoint, 'errorBody'>, missing: string): object {
  const refusal = missingPermission(missing);
  return errorBody?.bodyOf(refusal, 403) ?? { error: 'Forbidden', details: refusal.message };
}
