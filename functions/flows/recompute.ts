import * as z from 'zod';
import { recomputer } from '../../shared/execution/batches/recompute.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import {
  batchOptionsOf,
  checkSelectors,
  NamedVersion,
  RecordRunOptions,
  recordSelectors,
  StartedOnRecords,
  unfinishedBatches,
} from '../batches/schemas.ts';
import { FlowParams } from './response-schemas.ts';

export const recomputeFlow = defineEndpoint({
  id: 'flows.recompute',
  method: 'POST',
  path: '/v1/flows/{id}/recompute',
  permission: 'FLOWS:EXECUTE',
  summary: 'Run a flow again where something changed',
  description: `Starts a batch with \`reuse: "unchanged"\`: on each record, only those steps run that cost or act and whose request differs from the earlier ones. 409 if the flow has no such version. ${unfinishedBatches}`,
  params: FlowParams,
  headers: StartHeaders,
  body: z
    .strictObject({
      version: NamedVersion,
      ...recordSelectors,
      options: RecordRunOptions.omit({ reuse: true }).prefault({}),
    })
    .superRefine(checkSelectors)
    .meta({ examples: [{ version: 'draft', recordType: 'company' }] }),
  response: { kind: 'json', bodies: { 202: StartedOnRecords } },
  errors: [400, 402, 404, 409],
  needs: { recompute: recomputer },

  async handle({ params, body, principal, timeLeftMs }, { recompute }) {
    const { version, options: given, recordType, recordIds, recordFilter } = body;
    const { options, labels } = batchOptionsOf({ ...given, reuse: 'unchanged' });
    const records = { recordType, recordIds, recordFilter };
    const { id, totalRecords } = await recompute(
      { flowId: params.id, version, records, options, labels },
      principal,
      timeLeftMs,
    );
    return { batchId: id, recordCount: totalRecords };
  },
});

export const handler = toLambda(recomputeFlow);
