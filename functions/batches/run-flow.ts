import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { batchStarter } from '../../shared/execution/batches/start-batch.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { unique } from '../../shared/platform/http/validation.ts';
import { RecordRunOptions, toBatchOptions, unfinishedBatches } from './schemas.ts';

const example = {
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  recordIds: ['record_01k9m4v7d3x8qz5w2r6t0y1hbn'],
  options: { recordConcurrency: 10 },
};

export const runBatchFlow = defineEndpoint({
  id: 'batches.run-flow',
  method: 'POST',
  path: '/v1/batch/flow',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run a flow on selected records',
  description: `Runs the published version, or the draft if no version is published. A test key runs the draft if there is one. Poll /v1/batch/status/{id} for progress. 404 lists the unknown records, and nothing runs. ${unfinishedBatches}`,
  headers: StartHeaders,
  body: z
    .strictObject({
      flowId: resourceId('flow'),
      recordIds: z.array(resourceId('record')).min(1).max(1_000).check(unique),
      options: RecordRunOptions.prefault({}),
    })
    .meta({ examples: [example] }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ batchExecutionId: z.string(), status: z.literal('scheduled') }) },
  },
  errors: [400, 402, 404, 409],
  needs: { starter: batchStarter },

  async handle({ body: { flowId, recordIds, options: requested }, principal }, { starter }) {
    const { options, labels } = toBatchOptions(requested);
    const { id } = await starter.startOnRecords(flowId, recordIds, options, principal, labels);
    return { batchExecutionId: id, status: 'scheduled' as const };
  },
});

export const handler = toLambda(runBatchFlow);
