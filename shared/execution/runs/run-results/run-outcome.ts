import * as z from 'zod';
import { using } from '../../../platform/aws/uses.ts';
import { type PayloadRef, payloadReader } from '../../../platform/data/payloads.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { type Checkpoint, parseRows } from '../checkpoints/checkpoint.ts';
import { readCheckpoints } from '../checkpoints/read-checkpoints.ts';

export const RunOutcome = z
  .object({
    executionId: z.string(),
    recordId: z.string().nullable(),
    success: z.boolean(),
    output: z.unknown().meta({ description: 'The output of the last completed step' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'RunOutcome' });

export const runOutcomes = /* @__PURE__ */ using(
  ['table:read', payloadReader],
  (scope: Scope) =>
    async ({
      runId,
      recordId,
    }: Pick<Checkpoint, 'runId' | 'recordId'>): Promise<z.input<typeof RunOutcome>> => {
      const checkpoints = await readCheckpoints(scope, { runId, recordId });
      const end = checkpoints.at(-1)?.end;
      const output = lastOutput(checkpoints);
      return {
        executionId: runId,
        recordId,
        success: end?.status === 'completed',
        output: output ? await payloadReader(scope).fetch(output) : null,
        error: end?.error ?? null,
      };
    },
);

export const lastOutput = (checkpoints: readonly Checkpoint[]): PayloadRef | undefined =>
  checkpoints
    .flatMap((checkpoint) => {
      const statuses = parseRows(checkpoint).map(([, status]) => status);
      return checkpoint.results.filter((_, place) => statuses[place] === 'completed');
    })
    .at(-1)?.output;
