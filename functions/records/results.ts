import { idOf } from '../../shared/core/ids.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import {
  RunResultPage,
  RunResultQuery,
  runResults,
} from '../../shared/execution/runs/run-results/list-run-results.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { RecordParams } from './schemas.ts';

export const listRecordResults = defineEndpoint({
  id: 'records.results',
  method: 'GET',
  path: '/v1/records/{id}/results',
  permission: 'RECORDS:READ',
  summary: 'List the results of the flows that ran on a record',
  description:
    'One for each run that is over, newest first unless sorted otherwise. The results of a page have 5 MB together: ' +
    'a row beyond that comes without its `result`, which a smaller `limit` makes room for.',
  params: RecordParams,
  query: RunResultQuery.extend({ flowId: idOf('flow').optional() }),
  response: { kind: 'json', bodies: { 200: RunResultPage } },
  errors: [400, 404],
  needs: { records: recordStore, resultsOf: runResults },

  async handle({ params: { id }, query }, { records, resultsOf }) {
    const [page] = await Promise.all([resultsOf(id, query), records.get(id)]);
    return page;
  },
});

export const handler = toLambda(listRecordResults);
