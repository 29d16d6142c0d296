import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { invalid, notFound } from '../../core/errors/errors.ts';
import { Inputs } from '../../execution/dispatch/request.ts';
import type { Target } from '../../execution/targets/target.ts';
import { parseOrReject } from '../../platform/http/validation.ts';

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

/** Parameters of a flow are its variables. @throws 400 that names each that cannot be one */
export function assertInputs(parameters: Record<string, unknown>): void {
  parseOrReject(Inputs, parameters);
}

/** For what a surface exposes, but the tenant has deleted. */
export function targetGone({ kind }: Pick<Target, 'kind'>) {
  const message = `The ${kind} that this endpoint runs was deleted`;
  return notFound(kind === 'flow' ? 'Flow' : 'Agent', [{ code: 'NOT_FOUND', message }]);
}
