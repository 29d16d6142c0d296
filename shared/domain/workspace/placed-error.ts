import { ServiceError } from '../../core/errors/errors.ts';
import type { PlanNode } from './writer.ts';

/** The error of an operation, with the place of the resource in the document. */
export function placedError(error: unknown, { after, key }: PlanNode): unknown {
  if (!(error instanceof ServiceError) || !['VALIDATION', 'NOT_FOUND', 'CONFLICT'].includes(error.code)) {
    return error;
  }
  const at = after?.path.map(String) ?? [];
  const details = error.details.map((detail) => ({
    ...detail,
    path: [...at, detail.path].filter(Boolean).join('.'),
  }));
  const whole = { path: at.join('.'), code: 'CONFLICT' as const, message: error.message };
  const message = `${error.message}: "${key}". What was applied before it stays`;
  return new ServiceError(error.code, message, { details: details.length > 0 ? details : [whole] });
}
