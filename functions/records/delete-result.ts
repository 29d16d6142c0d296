import * as z from 'zod';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { endSuspendedRun } from '../../shared/execution/record-runs/run-record.ts';
import { deleteRunResult } from '../../shared/execution/runs/delete-run-result.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import { cleanupQueue } from '../../shared/platform/cleanup/cleanup.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordParams } from './schemas.ts';

export const deleteRecordResult = defineEndpoint({
  id: 'records.delete-result',
  method: 'DELETE',
  path: '/v1/records/{id}/results',
  permission: 'RECORDS:WRITE',
  summary: 'Delete the result of a run on a record',
  description:
    'Also deletes its step results and subtracts their costs from the costs of the record. 409 while the run has not ' +
    'ended.',
  params: RecordParams,
  body: z.strictObject({ resultId: z.string().min(1) }),
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404, 409],
  needs: {
    records: recordStore,
    remove: using([endSuspendedRun, 'table:write', 'table:delete'], (scope: Scope) =>
      deleteRunResult(scope, endSuspendedRun(scope)),
    ),
    cleanup: cleanupQueue,
  },

  async handle({ params: { id }, body: { resultId } }, { records, remove, cleanup }) {
    await records.get(id);
    await remove(id, resultId);
    await cleanup.enqueue([resultId]);
  },
});

export const handler = toLambda(deleteRecordResult);
