import { assertMayExport, exportReader } from '../../shared/domain/jobs/export-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ExportParams, ExportResponse, readsSomething, toExportResponse } from './schemas.ts';

export const getExport = defineEndpoint({
  id: 'exports.get',
  method: 'GET',
  path: '/v1/exports/{id}',
  permission: readsSomething,
  summary: 'Get an export',
  description: 'Needs the permissions with which it was created. `url` is the file, once there is one.',
  params: ExportParams,
  response: { kind: 'json', bodies: { 200: ExportResponse } },
  errors: [400, 403, 404],
  needs: { exports: exportReader },

  async handle({ params, permissions }, { exports }) {
    const item = await exports.find(params.id);
    const held = await permissions();
    assertMayExport(item.settings, held, listKinds(held, 'READ'));
    return toExportResponse(item, await exports.signUrl(item));
  },
});

export const handler = toLambda(getExport);
