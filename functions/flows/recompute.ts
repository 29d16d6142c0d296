import * as z from 'zod';
import { recomputer } from '../../shared/execution/batches/recompute.ts';
import { forecaster } from '../../shared/execution/forecast/forecaster.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { ForecastResponse, toForecastResponse } from '../batches/forecast-schema.ts';
import {
  checkSelectors,
  NamedVersion,
  RecordRunOptions,
  recordSelectors,
  StartedOnRecords,
  toBatchOptions,
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
      dryRun: z.boolean().default(false).meta({
        description: 'Answers with the forecast; nothing runs or is stored. Also needs RECORDS:READ',
      }),
      options: RecordRunOptions.omit({ reuse: true }).prefault({}),
    })
    .superRefine(checkSelectors)
    .meta({ examples: [{ version: 'draft', recordType: 'company' }] }),
  response: { kind: 'json', bodies: { 200: ForecastResponse, 202: StartedOnRecords } },
  errors: [400, 402, 404, 409],
  needs: { recompute: recomputer, forecast: forecaster },

  async handle({ params, body, principal, timeLeftMs }, { recompute, forecast }) {
    const { version, dryRun, options: requested, recordType, recordIds, recordFilter } = body;
    const { options, labels } = toBatchOptions({ ...requested, reuse: 'unchanged' });
    const records = { recordType, recordIds, recordFilter };
    if (dryRun) {
      requireAll(principal, ['RECORDS:READ']);
      const request = { flowId: params.id, version, records, options };
      return { status: 200, body: toForecastResponse(await forecast(request, principal, timeLeftMs)) };
    }
    const { id, totalRecords } = await recompute(
      { flowId: params.id, version, records, options, labels },
      principal,
      timeLeftMs,
    );
    return { status: 202, body: { batchId: id, recordCount: totalRecords } };
  },
});

export const handler = toLambda(recomputeFlow);
