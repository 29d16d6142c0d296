import { resourceId } from '../../shared/core/ids.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { RunResultPage, RunResultQuery, runResults } from '../../shared/execution/runs/list-run-results.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams } from './schemas.ts';

export const listRecordResults = defineEndpoint({
  id: 'records.results',
  method: 'GET',
  path: '/v1/records/{id}/results',
  permission: 'RECORDS:READ',
  summary: 'List the flow results of a record',
  description:
    'Returns one result for each ended run, newest first by default. The results of a page hold up to 5 MB together; further ' +
    'rows omit `result`. Use a smaller `limit` to get it.',
  params: RecordParams,
  query: RunResultQuery.extend({ flowId: resourceId('flow').optional() }),
  response: { kind: 'json', bodies: { 200: RunResultPage } },
  errors: [400, 404],
  needs: { records: recordStore, resultsOf: runResults },

  async handle({ params: { id }, query }, { records, resultsOf }) {
    const [page] = await Promise.all([resultsOf(id, query), records.get(id)]);
    return page;
  },
});

export const handler = toLambda(listRecordResults);
