import { conflict, type ErrorDetail } from '../core/errors/errors.ts';

/**
 * Limits costs: Secrets Manager charges each secret by the month. Parallel requests can exceed a limit by their number,
 * but not those of model configs, provider keys and budgets.
 */
export const tenantLimits = {
  'API keys': 200,
  secrets: 500,
  'model configs': 200,
  'provider keys': 100,
  'credentials of agents': 500,
  'surfaces with secrets': 200,
  'client tokens': 200,
  'MCP connections': 200,
  budgets: 100,
  alerts: 100,
} as const;

export type Limited = keyof typeof tenantLimits;

/** @param count The number after the change. @throws 409 */
export function assertWithinLimit(what: Limited, count: number): void {
  const problem = findLimitProblem(what, count);
  if (problem) throw conflict(problem);
}

/** @param count The number after the change. */
export function findLimitProblem(what: Limited, count: number): ErrorDetail | undefined {
  const max = tenantLimits[what];
  if (count <= max) return undefined;
  const message = `A tenant can have ${max} ${what}. Delete those that are no longer used`;
  return { code: 'LIMIT_REACHED', message };
}
