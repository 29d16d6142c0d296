import * as z from 'zod';
import {
  pickFilters,
  pickShownFields,
  recordFilters,
  shownFields,
} from '../../shared/domain/records/record-filters.ts';
import { recordStore } from '../../shared/domain/records/record-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RecordResponse, toRecordResponse } from './schemas.ts';

export const listRecords = defineEndpoint({
  id: 'records.list',
  method: 'GET',
  path: '/v1/records',
  permission: 'RECORDS:READ',
  summary: 'List records',
  description:
    'Returns records newest first. Filters combine with AND; type and name together identify one record. A request scans up to 10,000 ' +
    'records by type, name and `search`, and up to 2,000 (or 8 MB) by metadata. A page may therefore have fewer rows than `limit`, or ' +
    'none, while `hasMore` is true: continue with `nextCursor`. Counts are omitted if computing them would read the metadata of ' +
    'more than 10,000 records (40 MB). A response has at most 5 MB.',
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
    const filtersApplied = pickFilters(query);
    const page = await records.list(filtersApplied, query);
    return {
      data: page.records
        .map(toRecordResponse)
        .map((record) => ({ ...record, metadata: pickShownFields(record.metadata, query) })),
      filtersApplied,
      pagination: page.pagination,
    };
  },
});

export const handler = toLambda(listRecords);
