import Big from 'big.js';
import * as z from 'zod';
import { recordPartition } from '../../../domain/records/record.ts';
import { using } from '../../../platform/aws/uses.ts';
import { deletedIds } from '../../../platform/cleanup/tombstone.ts';
import { decodeReadable, defineEntity } from '../../../platform/data/entity.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import type { Write } from '../../../platform/data/writes.ts';
import { type Checkpoint, flowResultsPartition, flowShardOf, type StoredStepResult } from './checkpoint.ts';

/** What a flow's calls of a model on a record add up to. */
export interface ModelUse {
  recordId: string;
  flowId: string;
  model: string;
  count: number;
  promptTokens: number;
  completionTokens: number;
  /** USD */
  cost: Big;
}

/**
 * Costs are kept in whole units of 10^-15 USD: whole numbers come back from DynamoDB exactly, however large, and
 * a price of a token has no finer parts.
 */
const unitsPerDollar = new Big('1e15');
const Whole = z.union([z.int(), z.bigint()]).transform((value) => new Big(String(value)));

type CostKey = Pick<ModelUse, 'recordId' | 'flowId' | 'model'>;

/** Beside the record, and with the results of the flow, so that it goes with either. */
const recordCostEntity = defineEntity({
  type: 'recordCost',
  schema: z.object({
    flowId: z.string(),
    model: z.string(),
    count: z.int(),
    promptTokens: z.int(),
    completionTokens: z.int(),
    units: Whole,
  }),
  key: ({ recordId, flowId, model }: CostKey) => ({
    PK: recordPartition(recordId),
    SK: `COSTS#${flowId}#${model}`,
  }),
});

/** What these results of a run add to its record's costs. Nothing of a run that will be forgotten, or has no record. */
export function modelUsesOf(
  { recordId, flowId, ttl }: Pick<Checkpoint, 'recordId' | 'flowId' | 'ttl'>,
  results: readonly Omit<StoredStepResult, 'output' | 'resolvedPrompt' | 'preview'>[],
): ModelUse[] {
  if (!recordId || ttl !== undefined) return [];
  return results.flatMap(({ modelUsed: model, promptTokens = 0, completionTokens = 0, estimatedCost }) =>
    model === undefined
      ? []
      : [
          {
            recordId,
            flowId,
            model,
            count: 1,
            promptTokens,
            completionTokens,
            cost: new Big(estimatedCost ?? 0),
          },
        ],
  );
}

/** The same the other way round, for results that are deleted. */
export const negated = (uses: readonly ModelUse[]): ModelUse[] =>
  uses.map((use) => ({
    ...use,
    count: -use.count,
    promptTokens: -use.promptTokens,
    completionTokens: -use.completionTokens,
    cost: use.cost.neg(),
  }));

/** One write for each counter, since a transaction takes one for an item. They belong into that of the results. */
export function costWrites({ writes }: TenantTable, uses: readonly ModelUse[]): Write[] {
  const counters = Map.groupBy(uses, ({ recordId, flowId, model }) => `${recordId}#${flowId}#${model}`);
  return [...counters.values()].flatMap((same) => {
    const [{ recordId, flowId, model }] = same as [ModelUse];
    const add = {
      count: sum(same, 'count'),
      promptTokens: sum(same, 'promptTokens'),
      completionTokens: sum(same, 'completionTokens'),
      units: unitsPerDollar.times(totalCost(same)).round(0).toFixed(),
    };
    // Once, so that an index entry is written for the first use only.
    const indexOnce = {
      PK1: flowResultsPartition(flowId, flowShardOf(recordId)),
      SK1: `COSTS#${recordId}#${model}`,
    };
    const changes = { add, setOnce: { flowId, model }, indexOnce };
    return writes.update(recordCostEntity, { recordId, flowId, model }, changes);
  });
}

const sum = (uses: readonly ModelUse[], field: 'count' | 'promptTokens' | 'completionTokens') =>
  uses.reduce((total, use) => total + use[field], 0);
const totalCost = (uses: readonly ModelUse[]) =>
  uses.reduce((total, { cost }) => total.plus(cost), new Big(0));

/** What the model calls cost that the record's step results tell of. */
export const recordCosts = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (recordId: string) => {
      const partition = recordPartition(recordId);
      const [items, deleted] = await Promise.all([
        table.queryAll({ partition, from: 'COSTS#', to: 'COSTS#~', consistent: true }),
        deletedIds(table, 'flow'),
      ]);
      const uses = decodeReadable(recordCostEntity, items)
        .filter(({ flowId, count }) => count > 0 && !deleted.has(flowId))
        .map(({ units, ...use }): ModelUse => ({ recordId, ...use, cost: units.div(unitsPerDollar) }));
      const byModel = [...Map.groupBy(uses, ({ model }) => model)];
      const promptTokens = sum(uses, 'promptTokens');
      const completionTokens = sum(uses, 'completionTokens');
      return {
        executionCount: sum(uses, 'count'),
        promptTokens,
        completionTokens,
        totalTokens: promptTokens + completionTokens,
        totalCost: totalCost(uses).toNumber(),
        modelBreakdown: byModel
          .map(([model, same]) => ({
            model,
            count: sum(same, 'count'),
            tokens: sum(same, 'promptTokens') + sum(same, 'completionTokens'),
            cost: totalCost(same).toNumber(),
          }))
          .toSorted((one, other) => other.cost - one.cost || (one.model < other.model ? -1 : 1)),
      };
    },
);
