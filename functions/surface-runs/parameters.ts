import { checkValue } from '../../shared/adapters/json-schema/json-schema.ts';
import type { Sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { invalid, notFound } from '../../shared/core/errors.ts';

/** @throws 400 that names each parameter that does not fit. */
export async function assertParameters(
  sandbox: Sandbox,
  schema: Record<string, unknown> | null,
  parameters: Record<string, unknown>,
): Promise<void> {
  const problems = schema ? await checkValue(sandbox, schema, parameters) : [];
  if (problems.length === 0) return;
  throw invalid(problems.map(({ path, message }) => ({ path, code: 'INVALID_VALUE', message })));
}

/** What a surface exposes, but the tenant has deleted. */
export const gone = (what: 'Flow' | 'Agent') => {
  const message = `The ${what.toLowerCase()} that this endpoint runs was deleted`;
  return notFound(what, [{ code: 'NOT_FOUND', message }]);
};
