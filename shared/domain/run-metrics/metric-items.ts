import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isDay } from '../runs/hour-marks.ts';
import { Cell } from './cell.ts';

interface FoldedKey {
  period: string;
  source: string;
  part: number;
}

const toFoldedPartition = (period: string) =>
  tenantPartition(isDay(period) ? 'RUNMETRICS#DAYS' : 'RUNMETRICS#HOURS');

const keptPartition = tenantPartition('RUNMETRICS#KEPT');

const likelyTexts =
  '"model":"openai/gpt-anthropic/claude-google/gemini-"productId":"product_01k"surfaceId":"surface_01k"apiKeyId":"key_01k' +
  '"toolId":"tool_01k"inside":true,"kind":"agent","agentId":"agent_01k"kind":"batch""kind":"tool""kind":"record","flowId":' +
  '"cancelled":1"status":"failed","kind":"flow","name":"","flowId":"flow_01k","status":"completed","completed":1,"failed":0,' +
  '"cancelled":0,"unpriced":0,"cost":"0.00","savedCost":"0","input":0,"output":0,"cachedInput":0,"durations":{"';

/** The numbers of an hour or a day, in one part or several. */
export const foldedEntity = defineEntity({
  type: 'runMetrics',
  schema: z.object({
    period: z.string(),
    /** The hour or the day itself; or the later hour whose batches had records that ended in this one. */
    source: z.string(),
    part: z.int(),
    /** In part 0: how many there are. */
    parts: z.int(),
    cells: z.array(Cell),
    ttl: z.int(),
  }),
  key: ({ period, source, part }: FoldedKey) => ({
    PK: toFoldedPartition(period),
    SK: `${period}#${source}#${String(part).padStart(3, '0')}`,
  }),
  packing: { fields: ['cells'], dictionaries: [likelyTexts] },
});
export type Folded = z.infer<typeof foldedEntity.schema>;

export const toFoldedRange = (from: string, to: string) => ({
  partition: toFoldedPartition(from),
  from: `${from}#`,
  to: `${to}#~`,
});

/** The numbers of rows that were deleted. The hour's rows no longer have them. */
export const keptEntity = defineEntity({
  type: 'runMetricsKept',
  schema: z.object({
    hour: z.string(),
    id: z.string(),
    byHour: z.record(z.string(), z.array(Cell)),
    ttl: z.int(),
  }),
  key: ({ hour, id }: { hour: string; id: string }) => ({
    PK: keptPartition,
    SK: `${hour}#${id}`,
  }),
  packing: { fields: ['byHour'], dictionaries: [likelyTexts] },
});

export const toKeptRange = (hour: string) => ({
  partition: keptPartition,
  from: `${hour}#`,
  to: `${hour}#~`,
});
