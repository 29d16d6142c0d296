import * as z from 'zod';
import { CursorPagination, CursorQuery } from '../../shared/data/pages.ts';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { RecordName, RecordType } from '../../shared/records/record.ts';
import { recordStore } from '../../shared/records/record-store.ts';
import { RecordResponse, toRecordResponse } from './schemas.ts';

const filters = {
  type: RecordType.optional(),
  name: RecordName.optional().meta({ description: 'The exact name' }),
  search: z.string().max(500).optional().meta({ description: 'A part of the name, in any case' }),
};

export const listRecords = defineEndpoint({
  id: 'records.list',
  method: 'GET',
  path: '/v1/records',
  permission: 'RECORDS:READ',
  summary: 'List records',
  description:
    'Newest first. `type`, `name` and `search` combine with AND; a type and a name together name one record. ' +
    'An answer has 5 MB at most: a page of large records ends early, and its `nextCursor` goes on from there.',
  query: CursorQuery.extend(filters),
  responses: {
    200: z.object({
      data: z.array(RecordResponse),
      filtersApplied: z.object(filters),
      pagination: CursorPagination,
    }),
  },
  errors: [400],
  needs: { records: recordStore },

  async handle({ query }, { records }) {
    const { type, name, search } = query;
    const page = await records.list({ type, name, search }, query);
    return {
      data: page.records.map(toRecordResponse),
      filtersApplied: { type, name, search },
      pagination: page.pagination,
    };
  },
});

export const handler = toLambda(listRecords);
