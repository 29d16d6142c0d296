import * as z from 'zod';
import { exportReader, mayExport } from '../../shared/domain/jobs/export-store.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ExportResponse, readsSomething, toExportResponse } from './schemas.ts';

export const listExports = defineEndpoint({
  id: 'exports.list',
  method: 'GET',
  path: '/v1/exports',
  permission: readsSomething,
  summary: 'List exports',
  description: 'Newest first, for seven days. Those that the caller could not create have no `url`.',
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ExportResponse), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { reader: exportReader },

  async handle({ query, permissions }, { reader }) {
    const { exports, pagination } = await reader.list(query);
    const held = await permissions();
    const kinds = listKinds(held, 'READ');
    const urls = exports.map((item) => (mayExport(item.settings, held, kinds) ? reader.signUrl(item) : null));
    const signed = await Promise.all(urls);
    return { data: exports.map((item, index) => toExportResponse(item, signed[index] ?? null)), pagination };
  },
});

export const handler = toLambda(listExports);
