import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import {
  StepResultPage,
  StepResultQuery,
  stepResultStore,
} from '../../shared/execution/runs/list-step-results.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const listRecordStepResults = defineEndpoint({
  id: 'records.step-results',
  method: 'GET',
  path: '/v1/records/{id}/step-results',
  permission: 'RECORDS:READ',
  summary: 'List the step results of a record',
  description:
    'Returns the newest run first by default. Sorting by a field other than `createdAt` reads all matching results. A page holds up to 5 MB and may end early: continue at offset + returned.',
  params: z.object({ id: resourceId('record') }),
  query: StepResultQuery.extend({
    flowId: resourceId('flow').optional(),
    batchId: resourceId('batch').optional(),
  }),
  response: { kind: 'json', bodies: { 200: StepResultPage } },
  errors: [400, 404],
  needs: { records: recordStore, results: stepResultStore },

  async handle({ params: { id }, query }, { records, results }) {
    const [page] = await Promise.all([results.listByRecord(id, query), records.get(id)]);
    return page;
  },
});

export const handler = toLambda(listRecordStepResults);
