/**
 * What the results of a run cost: counters per record and flow, and the model usage of the tenant.
 * The writes belong in the transaction of the results: a call is then counted once, however often its message is
 * delivered. The counters of a record shrink when a result is deleted (`delete-run-result.ts`); the tenant's usage never
 * does.
 * Runs that expire have no counters of a record, since nothing would remove them.
 */
import * as z from 'zod';
import { noSpending, type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import { toCostUnits, toDollars, WholeNumber } from '../../domain/model-usage/cost-units.ts';
import type { ModelCalls } from '../../domain/model-usage/model-calls.ts';
import { type CallsOfFlow, usageWrites } from '../../domain/model-usage/usage.ts';
import { recordPartition } from '../../domain/records/record.ts';
import { parseStepSpending, type StepSpending } from '../../domain/runs/run-use.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDeletedIds } from '../../platform/cleanup/tombstone.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { StepResult } from '../engine/engine.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { CheckpointEntry } from './checkpoint-index.ts';
import type { CheckpointFacts } from './run-recorder.ts';

export interface RunSpending extends CallsOfFlow {
  /** The costs of its results, which their record shows as long as it has them. */
  recordCosts: readonly RecordModelUse[];
}

/** @param lost Calls without a result. */
export const toRunSpending = (
  facts: Pick<CheckpointFacts, 'recordId' | 'flowId' | 'ttl'>,
  results: readonly StepResult[],
  lost: readonly ModelCalls[],
): RunSpending => ({
  // A run that expires belongs to nothing that is stored.
  flowId: facts.ttl === undefined ? facts.flowId : null,
  calls: [...results.flatMap(({ modelCalls = [] }) => modelCalls), ...lost],
  recordCosts: toModelUses(facts, results),
});

/** Commit them in the transaction of the results. */
export const toSpendingWrites = (scope: Scope, spent: readonly RunSpending[]): Write[] => [
  ...toCostWrites(
    scope.table,
    spent.flatMap(({ recordCosts }) => recordCosts),
  ),
  ...usageWrites(scope, spent),
];

/** The total of a flow's model calls on a record. */
interface RecordModelUse extends Spending {
  recordId: string;
  flowId: string;
  model: string;
  count: number;
}

type CostKey = Pick<RecordModelUse, 'recordId' | 'flowId' | 'model'>;

/** In the record's partition. Who deletes a flow finds it by the checkpoints whose calls it counts. */
const recordCostEntity = defineEntity({
  type: 'recordCost',
  schema: z.object({
    flowId: z.string(),
    model: z.string(),
    count: z.int(),
    promptTokens: z.int(),
    completionTokens: z.int(),
    units: WholeNumber,
  }),
  key: ({ recordId, flowId, model }: CostKey) => ({
    PK: recordPartition(recordId),
    SK: `COSTS#${flowId}#${model}`,
  }),
});

/** The model uses in these results. Empty for a run that expires, or without a record. */
export function toModelUses(
  { recordId, flowId, ttl }: Pick<Checkpoint, 'recordId' | 'flowId' | 'ttl'>,
  results: readonly (StepSpending & { modelUsed?: string | undefined })[],
): RecordModelUse[] {
  if (!recordId || ttl !== undefined) return [];
  return results.flatMap(({ modelUsed: model, ...step }) =>
    model === undefined ? [] : [{ ...parseStepSpending(step), recordId, flowId, model, count: 1 }],
  );
}

/**
 * One write per counter: a transaction takes one write per item. Commit them in the transaction of the results.
 * @param sign -1 takes the uses of deleted results off.
 */
export function toCostWrites(
  { writes }: TenantTable,
  uses: readonly RecordModelUse[],
  sign: 1 | -1 = 1,
): Write[] {
  const counters = Map.groupBy(uses, ({ recordId, flowId, model }) => `${recordId}#${flowId}#${model}`);
  return [...counters.values()].flatMap((same) => {
    const [{ recordId, flowId, model }] = same as [RecordModelUse];
    const { count, inputTokens, outputTokens, cost } = sumUses(same);
    const add = {
      count: sign * count,
      promptTokens: sign * inputTokens,
      completionTokens: sign * outputTokens,
      units: toCostUnits(cost.times(sign)),
    };
    return writes.update(recordCostEntity, { recordId, flowId, model }, { add, setOnce: { flowId, model } });
  });
}

/** The keys of the counters to which a checkpoint has added. */
export const toRecordCostKeys = ({ recordId, flowId, models = [] }: Partial<CheckpointEntry>) =>
  recordId && flowId ? models.map((model) => recordCostEntity.key({ recordId, flowId, model })) : [];

const sumUses = (uses: readonly RecordModelUse[]) => ({
  ...sumSpending(uses),
  count: uses.reduce((total, { count }) => total + count, 0),
});

export const recordCosts = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (recordId: string) => {
      const partition = recordPartition(recordId);
      const [items, deleted] = await Promise.all([
        table.queryAll({ partition, from: 'COSTS#', to: 'COSTS#~', consistent: true }),
        listDeletedIds(table, 'flow'),
      ]);
      const uses = decodeReadable(recordCostEntity, items)
        .filter(({ flowId, count }) => count > 0 && !deleted.has(flowId))
        .map(({ units, promptTokens: inputTokens, completionTokens: outputTokens, ...use }) => {
          const counted = { inputTokens, outputTokens, cost: toDollars(units) };
          return { ...noSpending, ...use, recordId, ...counted };
        });
      const { count: executionCount, inputTokens, outputTokens, cost } = sumUses(uses);
      return {
        executionCount,
        promptTokens: inputTokens,
        completionTokens: outputTokens,
        totalTokens: inputTokens + outputTokens,
        totalCost: cost.toNumber(),
        modelBreakdown: [...Map.groupBy(uses, ({ model }) => model)]
          .map(([model, same]) => {
            const of = sumUses(same);
            const tokens = of.inputTokens + of.outputTokens;
            return { model, count: of.count, tokens, cost: of.cost.toNumber() };
          })
          .toSorted((one, other) => other.cost - one.cost || (one.model < other.model ? -1 : 1)),
      };
    },
);
