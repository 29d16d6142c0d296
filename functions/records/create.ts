import { RecordDraft } from '../../shared/domain/records/record.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordResponse, toRecordResponse } from './schemas.ts';

export const createRecord = defineEndpoint({
  id: 'records.create',
  method: 'POST',
  path: '/v1/records',
  permission: 'RECORDS:WRITE',
  summary: 'Create a record',
  description:
    'Type and name together must be unique: a pair that another record has returns 409. `metadata` holds up to 256 KB of JSON, ' +
    '`messages` up to 128 KB, both up to 100 levels deep.',
  body: RecordDraft,
  response: { kind: 'json', bodies: { 201: RecordResponse } },
  errors: [400, 409],
  needs: { records: recordStore },
  handle: async ({ body, principal }, { records }) => toRecordResponse(await records.create(principal, body)),
});

export const handler = toLambda(createRecord);
