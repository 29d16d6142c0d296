import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { idOf } from '../../shared/ids.ts';
import { recordStore } from '../../shared/records/record-store.ts';
import { StepResultPage } from '../../shared/runs/step-result.ts';
import { StepResultQuery, stepResultStore } from '../../shared/runs/step-results.ts';

export const listRecordStepResults = defineEndpoint({
  id: 'records.step-results',
  method: 'GET',
  path: '/v1/records/{id}/step-results',
  permission: 'RECORDS:READ',
  summary: 'List the step results of a record',
  description:
    'Newest run first, unless sorted otherwise. A sort by another field than createdAt reads all that match. A page ends early when 5 MB are full: go on at offset + returned.',
  params: z.object({ id: idOf('record') }),
  query: StepResultQuery.extend({ flowId: idOf('flow').optional(), batchId: idOf('batch').optional() }),
  responses: { 200: StepResultPage },
  errors: [400, 404],
  needs: { records: recordStore, results: stepResultStore },

  async handle({ params: { id }, query }, { records, results }) {
    const [page] = await Promise.all([results.ofRecord(id, query), records.get(id)]);
    return page;
  },
});

export const handler = toLambda(listRecordStepResults);
