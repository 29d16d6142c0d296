import { recordStore } from '../../shared/domain/records/record-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams, RecordResponse, toRecordResponse } from './schemas.ts';

export const getRecord = defineEndpoint({
  id: 'records.get',
  method: 'GET',
  path: '/v1/records/{id}',
  permission: 'RECORDS:READ',
  summary: 'Get a record',
  params: RecordParams,
  response: { kind: 'json', bodies: { 200: RecordResponse } },
  errors: [400, 404],
  needs: { records: recordStore },
  handle: async ({ params }, { records }) => toRecordResponse(await records.get(params.id)),
});

export const handler = toLambda(getRecord);
