import * as z from 'zod';
import { NewMessages, NewMetadata, RecordName, RecordType } from '../../shared/domain/records/record.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams, RecordResponse, toRecordResponse } from './schemas.ts';

export const updateRecord = defineEndpoint({
  id: 'records.update',
  method: 'PUT',
  path: '/v1/records/{id}',
  permission: 'RECORDS:WRITE',
  summary: 'Update a record',
  description:
    'Omitted members stay unchanged. `metadata` and `messages` replace the old values entirely; the limits of a new record ' +
    'apply. 409 if another record has the type and name.',
  params: RecordParams,
  body: z.strictObject({
    type: RecordType.optional(),
    name: RecordName.optional(),
    metadata: NewMetadata.optional(),
    messages: NewMessages.optional(),
  }),
  response: { kind: 'json', bodies: { 200: RecordResponse } },
  errors: [400, 404, 409],
  needs: { records: recordStore },
  handle: async ({ params, body }, { records }) => toRecordResponse(await records.update(params.id, body)),
});

export const handler = toLambda(updateRecord);
