import { importCanceller } from '../../shared/domain/imports/import-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportParams, ImportResponse, toImportResponse } from './schemas.ts';

export const cancelImport = defineEndpoint({
  id: 'imports.cancel',
  method: 'POST',
  path: '/v1/imports/{id}/cancel',
  permission: 'RECORDS:WRITE',
  summary: 'Cancel an import',
  description:
    'Records that are stored stay; chunks that are being stored finish and are counted. 409 if the import has ended.',
  params: ImportParams,
  response: { kind: 'json', bodies: { 200: ImportResponse } },
  errors: [400, 404, 409],
  needs: { cancel: importCanceller, now: clock },
  handle: async ({ params }, { cancel, now }) => toImportResponse(await cancel(params.id), now(), null),
});

export const handler = toLambda(cancelImport);
