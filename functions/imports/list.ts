import * as z from 'zod';
import { problemsAddress } from '../../shared/domain/imports/import-problems.ts';
import { importReader } from '../../shared/domain/imports/import-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportResponse, toImportResponse } from './schemas.ts';

export const listImports = defineEndpoint({
  id: 'imports.list',
  method: 'GET',
  path: '/v1/imports',
  permission: 'RECORDS:WRITE',
  summary: 'List imports',
  description: 'Newest first.',
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ImportResponse), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { reader: importReader, problemsUrl: problemsAddress, now: clock },

  async handle({ query }, { reader, problemsUrl, now }) {
    const { imports, pagination } = await reader.list(query);
    const urls = await Promise.all(imports.map(problemsUrl));
    return {
      data: imports.map((item, index) => toImportResponse(item, now(), urls[index] ?? null)),
      pagination,
    };
  },
});

export const handler = toLambda(listImports);
