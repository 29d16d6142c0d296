import * as z from 'zod';
import { ImportProblem, problemReader } from '../../shared/domain/imports/import-problems.ts';
import { importReader } from '../../shared/domain/imports/import-store.ts';
import { CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ImportParams } from './schemas.ts';

export const importProblems = defineEndpoint({
  id: 'imports.problems',
  method: 'GET',
  path: '/v1/imports/{id}/problems',
  permission: 'RECORDS:WRITE',
  summary: 'List the rows of an import that were skipped',
  description:
    'In the order of the rows, while the import goes on too. At most 100,000 are kept, for seven days.',
  params: ImportParams,
  query: CursorQuery.pick({ limit: true }).extend({
    cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(ImportProblem),
        pagination: z.object({ nextCursor: z.string().nullable(), hasMore: z.boolean(), limit: z.int() }),
      }),
    },
  },
  errors: [400, 404],
  needs: { imports: importReader, reader: problemReader },

  async handle({ params: { id }, query }, { imports, reader }) {
    await imports.find(id);
    const { problems, pagination } = await reader.list(id, query);
    return { data: problems, pagination };
  },
});

export const handler = toLambda(importProblems);
