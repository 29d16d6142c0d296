import type { ModelCalls } from '../../../domain/model-usage/model-calls.ts';
import { type CallsOfFlow, usageWrites } from '../../../domain/model-usage/usage.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { StepResult } from '../../engine/engine.ts';
import { costWrites, modelUses, type RecordModelUse } from './record-costs.ts';
import type { CheckpointFacts } from './run-recorder.ts';

export interface RunSpending extends CallsOfFlow {
  /** The costs of its results, which their record shows as long as it has them. */
  recordCosts: readonly RecordModelUse[];
}

/** @param lost Calls without a result. */
export const runSpending = (
  facts: Pick<CheckpointFacts, 'recordId' | 'flowId' | 'ttl'>,
  results: readonly StepResult[],
  lost: readonly ModelCalls[],
): RunSpending => ({
  // A run that expires belongs to nothing that is stored.
  flowId: facts.ttl === undefined ? facts.flowId : null,
  calls: [...results.flatMap(({ modelCalls = [] }) => modelCalls), ...lost],
  recordCosts: modelUses(facts, results),
});

/** Commit them in the transaction of the results. */
export const spendingWrites = (scope: Scope, spent: readonly RunSpending[]): Write[] => [
  ...costWrites(
    scope.table,
    spent.flatMap(({ recordCosts }) => recordCosts),
  ),
  ...usageWrites(scope, spent),
];
