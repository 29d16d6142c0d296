import * as z from 'zod';
import { importedRecordsRemover } from '../../shared/domain/imports/import-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportParams } from './schemas.ts';

export const deleteImportedRecords = defineEndpoint({
  id: 'imports.delete-records',
  method: 'DELETE',
  path: '/v1/imports/{id}/records',
  permission: 'RECORDS:WRITE',
  summary: 'Delete the records of an import',
  description:
    'Deletes the records that the import created, with their results, in the background. Records that it only changed stay. ' +
    '409 while the import goes on.',
  params: ImportParams,
  response: { kind: 'json', bodies: { 202: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { remove: importedRecordsRemover },

  async handle({ params }, { remove }) {
    await remove(params.id);
    return { success: true };
  },
});

export const handler = toLambda(deleteImportedRecords);
