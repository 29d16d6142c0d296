import { withBareReferences } from '../../core/secret-references.ts';
import type { FlowStep } from './steps/step.ts';

/** Steps for export: complete, with secrets referenced as `secret:<NAME>`. */
export const exportedSteps = (steps: readonly FlowStep[]): FlowStep[] =>
  steps.map((step) => withoutReferences(step) as FlowStep);

function withoutReferences(value: unknown): unknown {
  if (typeof value === 'string') return withBareReferences(value);
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member)]));
}
