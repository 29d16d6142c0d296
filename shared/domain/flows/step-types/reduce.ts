import * as z from 'zod';
import { RecordFilter } from '../../../core/filters/filter.ts';
import { resourceId } from '../../../core/ids.ts';
import { RecordType } from '../../records/record.ts';
import { commonConfig } from '../steps/common-config.ts';
import { StoredSteps } from '../steps/held-steps.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';

/** The most records of one step. */
export const reduceRecordsMax = 100_000;
export const reduceLevelsMax = 10;

/** What the steps in it find. */
export const reduceVariables = ['items', 'chunkIndex', 'previous'] as const;

const Chunk = z.strictObject({
  maxItems: z.int().min(1).max(1_000).optional(),
  maxTokens: z.int().min(50).max(1_000_000).optional().meta({
    description:
      'Of the items as JSON, estimated as four bytes a token. A larger record is a chunk of its own',
  }),
});

const createConfig = (steps: z.ZodType<FlowStep[], unknown>) =>
  z
    .strictObject({
      from: z
        .strictObject({
          batchId: resourceId('batch').optional(),
          recordType: RecordType.optional(),
          recordFilter: RecordFilter.optional(),
        })
        .meta({
          description:
            'The records of a type, perhaps those that match a filter; or the rows of the table of a batch, as POST /v1/exports writes it',
        }),
      fields: z.array(z.string().min(1).max(500)).min(1).max(100).meta({
        description: 'Paths in a record, or columns of the table: each item is an object with these members',
      }),
      steps: steps.meta({
        description:
          'Run on each chunk, with `items` and `chunkIndex`; on the results in turn (`tree`, where `items` are results), or with `previous` (`sequence`, null at first). The output of the last step is the result',
      }),
      chunk: Chunk.meta({ description: 'Either of the two' }),
      combine: z.enum(['tree', 'sequence']).meta({
        description:
          '`tree`: chunks are independent, and their results are chunks of the next level, until one is left. `sequence`: one chunk after the other',
      }),
      ...commonConfig,
    })
    .superRefine(({ from, chunk, combine }, { addIssue }) => {
      const refuse = (path: string[], message: string) =>
        addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, path, message });
      if ((from.batchId === undefined) === (from.recordType === undefined))
        refuse(['from'], 'Send either batchId or recordType');
      if (from.recordFilter && from.recordType === undefined)
        refuse(['from', 'recordFilter'], 'A filter needs a recordType');
      if ((chunk.maxItems === undefined) === (chunk.maxTokens === undefined))
        refuse(['chunk'], 'Send either maxItems or maxTokens');
      if (combine === 'tree' && chunk.maxItems === 1)
        refuse(['chunk', 'maxItems'], 'A tree of chunks of one item never ends; send 2 or more');
    });

export type ReduceConfig = z.output<ReturnType<typeof createConfig>>;

export const reduceStep = defineStepType({
  type: 'reduce',
  summary: 'Answer a question over many records, chunk by chunk',
  config: createConfig(StoredSteps),
  createConfig,
  output: z.unknown().meta({ description: 'The last result; null if there is no record' }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: 'RECORDS:READ',
});

/** How often the steps may run at most. */
export function countChunksMax(config: Readonly<Record<string, unknown>>): number {
  const { chunk, combine } = config as Pick<ReduceConfig, 'chunk' | 'combine'>;
  const perChunk = chunk.maxItems ?? 1;
  const first = Math.ceil(reduceRecordsMax / perChunk);
  return combine === 'sequence' ? first : 2 * first;
}
