import * as z from 'zod';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { cleanupQueue } from '../../shared/platform/cleanup/cleanup.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams } from './schemas.ts';

export const deleteRecord = defineEndpoint({
  id: 'records.delete',
  method: 'DELETE',
  path: '/v1/records/{id}',
  permission: 'RECORDS:WRITE',
  summary: 'Delete a record',
  description:
    'Also deletes its step results: they are unreadable at once and removed in the background. Its type and name can be ' +
    'used again at once.',
  params: RecordParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404, 409],
  needs: { records: recordStore, cleanup: cleanupQueue },

  async handle({ params }, { records, cleanup }) {
    await records.remove(params.id);
    await cleanup.enqueue([params.id]);
  },
});

export const handler = toLambda(deleteRecord);
