import { problemsAddress } from '../../shared/domain/imports/import-problems.ts';
import { importReader } from '../../shared/domain/imports/import-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportParams, ImportResponse, toImportResponse } from './schemas.ts';

export const getImport = defineEndpoint({
  id: 'imports.get',
  method: 'GET',
  path: '/v1/imports/{id}',
  permission: 'RECORDS:WRITE',
  summary: 'Get an import',
  params: ImportParams,
  response: { kind: 'json', bodies: { 200: ImportResponse } },
  errors: [400, 404],
  needs: { imports: importReader, problemsUrl: problemsAddress, now: clock },

  async handle({ params }, { imports, problemsUrl, now }) {
    const item = await imports.find(params.id);
    return toImportResponse(item, now(), await problemsUrl(item));
  },
});

export const handler = toLambda(getImport);
