import { problemsAddress } from '../../shared/domain/imports/import-problems.ts';
import { importReader, uploadAddresses } from '../../shared/domain/imports/import-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AwaitingImport, ImportParams, toImportResponse } from './schemas.ts';

export const getImport = defineEndpoint({
  id: 'imports.get',
  method: 'GET',
  path: '/v1/imports/{id}',
  permission: 'RECORDS:WRITE',
  summary: 'Get an import',
  description:
    'Before its start, with addresses for its file that are signed anew, and the parts that are there.',
  params: ImportParams,
  response: { kind: 'json', bodies: { 200: AwaitingImport } },
  errors: [400, 404],
  needs: { imports: importReader, addresses: uploadAddresses, problemsUrl: problemsAddress, now: clock },

  async handle({ params }, { imports, addresses, problemsUrl, now }) {
    const item = await imports.find(params.id);
    const upload = await addresses(item);
    return { ...toImportResponse(item, now(), await problemsUrl(item)), upload };
  },
});

export const handler = toLambda(getImport);
