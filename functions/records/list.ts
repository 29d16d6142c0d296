import * as z from 'zod';
import {
  filtersIn,
  recordFilters,
  shownFields,
  shownOf,
} from '../../shared/domain/records/record-filters.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { RecordResponse, toRecordResponse } from './schemas.ts';

export const listRecords = defineEndpoint({
  id: 'records.list',
  method: 'GET',
  path: '/v1/records',
  permission: 'RECORDS:READ',
  summary: 'List records',
  description:
    'Newest first. Filters combine with AND; a type and a name together name one record. A call looks through 10,000 ' +
    'records by type, name and `search`, and through 2,000 (or 8 MB) by their metadata: a page may have fewer rows than ' +
    'there are, or none, while `hasMore` is true and `nextCursor` goes on from there. Counts are left out where ' +
    'metadata of more than 10,000 records (40 MB) would have to be read for them. An answer has 5 MB at most.',
  query: CursorQuery.extend({ ...recordFilters, ...shownFields }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(RecordResponse),
        filtersApplied: z.record(z.string(), z.unknown()),
        pagination: CursorPagination,
      }),
    },
  },
  errors: [400],
  needs: { records: recordStore },

  async handle({ query }, { records }) {
    const filtersApplied = filtersIn(query);
    const page = await records.list(filtersApplied, query);
    return {
      data: page.records
        .map(toRecordResponse)
        .map((record) => ({ ...record, metadata: shownOf(record.metadata, query) })),
      filtersApplied,
      pagination: page.pagination,
    };
  },
});

export const handler = toLambda(listRecords);
