import { NewExport } from '../../shared/domain/jobs/export.ts';
import { assertMayExport, exportCreator } from '../../shared/domain/jobs/export-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { batchFinder } from '../../shared/execution/batches/batch-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { OpenExport, readsSomething, toExportResponse } from './schemas.ts';

export const createExport = defineEndpoint({
  id: 'exports.create',
  method: 'POST',
  path: '/v1/exports',
  permission: readsSomething,
  summary: 'Export records, results or runs',
  description: `Writes a file of any size in the background; follow it by its id.

- \`records\` needs RECORDS:READ, \`batch\` and \`results\` need FLOWS:READ and RECORDS:READ, \`runs\` and \`feedback\` cover the kinds that the caller may read.
- A row of \`batch\` or \`results\` is a record that has run: its metadata as \`record.<key>\`, the output of each step under its output variable or its name, \`status\`, \`error\`, \`cost\`, \`tokens\` and \`durationMs\`.
- A row of \`records\` has \`name\`, \`type\` and the members of the metadata; an import with \`typeColumn: "type"\` reads it back.
- Cells of CSV that a spreadsheet could read as a formula get an apostrophe, which an import removes.
- What is created meanwhile may be missing.`,
  body: NewExport,
  response: { kind: 'json', bodies: { 202: OpenExport } },
  errors: [400, 404],
  needs: { create: exportCreator, batches: batchFinder },

  async handle({ body, principal, permissions }, { create, batches }) {
    const held = await permissions();
    const kinds = listKinds(held, 'READ');
    assertMayExport(body, held, kinds);
    const { what, filter } = body;
    const batch = what === 'batch' && filter.batchId ? await batches.get(filter.batchId) : undefined;
    const total = batch?.planned ? batch.totalRecords : null;
    return toExportResponse(await create(principal, body, { kinds, total }), null);
  },
});

export const handler = toLambda(createExport);
