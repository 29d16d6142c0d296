import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { forecaster } from '../../shared/execution/forecast/forecaster.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { requireAll } from '../../shared/platform/identity/principal.ts';
import { ForecastResponse, toForecastResponse } from './forecast-schema.ts';
import {
  checkSelectors,
  NamedVersion,
  RecordRunOptions,
  recordSelectors,
  toBatchOptions,
} from './schemas.ts';

export const forecastBatch = defineEndpoint({
  id: 'batches.forecast',
  method: 'POST',
  path: '/v1/batch/forecast',
  permission: 'FLOWS:EXECUTE',
  noIdempotencyKey: 'It changes nothing',
  summary: 'Forecast what a run on records costs',
  description:
    'Runs what is free, such as templates and scripts, on at most 200 of the records, for up to 10 s. Calls no model and no server, and stores nothing. Also needs RECORDS:READ.',
  body: z
    .strictObject({
      flowId: resourceId('flow'),
      version: NamedVersion.optional(),
      ...recordSelectors,
      options: RecordRunOptions.prefault({}),
    })
    .superRefine(checkSelectors)
    .meta({ examples: [{ flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn', recordType: 'company' }] }),
  response: { kind: 'json', bodies: { 200: ForecastResponse } },
  errors: [400, 404, 409],
  needs: { forecast: forecaster },

  async handle({ body, principal, timeLeftMs }, { forecast }) {
    requireAll(principal, ['RECORDS:READ']);
    const { flowId, version, options, recordType, recordIds, recordFilter } = body;
    const records = { recordType, recordIds, recordFilter };
    const request = { flowId, version, records, options: toBatchOptions(options).options };
    return toForecastResponse(await forecast(request, principal, timeLeftMs));
  },
});

export const handler = toLambda(forecastBatch);
