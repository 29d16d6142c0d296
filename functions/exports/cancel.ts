import { assertMayExport, exportCanceller, exportReader } from '../../shared/domain/jobs/export-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ExportParams, OpenExport, readsSomething, toExportResponse } from './schemas.ts';

export const cancelExport = defineEndpoint({
  id: 'exports.cancel',
  method: 'POST',
  path: '/v1/exports/{id}/cancel',
  permission: readsSomething,
  summary: 'Cancel an export',
  description: 'There is no file then. 409 if the export has ended.',
  params: ExportParams,
  response: { kind: 'json', bodies: { 200: OpenExport } },
  errors: [400, 403, 404, 409],
  needs: { exports: exportReader, cancel: exportCanceller },

  async handle({ params, permissions }, { exports, cancel }) {
    const { settings } = await exports.find(params.id);
    const held = await permissions();
    assertMayExport(settings, held, listKinds(held, 'READ'));
    return toExportResponse(await cancel(params.id), null);
  },
});

export const handler = toLambda(cancelExport);
