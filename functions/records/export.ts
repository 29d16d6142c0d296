import { Readable } from 'node:stream';
import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors.ts';
import { csvExporter } from '../../shared/domain/records/export-csv.ts';
import {
  fieldsIn,
  filtersIn,
  recordFilters,
  shownFields,
} from '../../shared/domain/records/record-filters.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';

/** API Gateway closes a line on which nothing came for five minutes. */
const surveyMsMax = 240_000;

export const exportRecords = defineEndpoint({
  id: 'records.export',
  method: 'GET',
  path: '/v1/records/export',
  permission: 'RECORDS:READ',
  summary: 'Export records as CSV',
  description: `The records that the list shows with the same filters, newest first, however many they are. The columns are \`name\`, \`type\` and the metadata keys of all of them (or those of \`includeFields\`); a key that is itself called so is in \`metadata.name\` or \`metadata.type\`. Values that are not text are JSON.

A cell that a spreadsheet could take for a formula gets an apostrophe before it. POST /v1/records/upload-csv takes it away, and makes the same records of the file where their metadata is text. 204 where there are no records.`,
  query: z.object({ ...recordFilters, ...shownFields }),
  response: { kind: 'stream', mediaType: 'text/csv', body: z.string(), bodies: { 204: z.void() } },
  errors: [400],
  needs: { exported: csvExporter },

  async handle({ query, timeLeftMs }, { exported }) {
    const begunWith = timeLeftMs();
    const checkDeadline = () => {
      if (begunWith - timeLeftMs() > surveyMsMax) throw tooLong();
    };
    const csv = await exported({ filters: filtersIn(query), keys: fieldsIn(query), checkDeadline });
    if (!csv) return { status: 204 as const, body: undefined };
    return {
      contentType: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="records.csv"' },
      stream: Readable.from(csv),
    };
  },
});

const tooLong = () =>
  invalidAt(
    'includeFields',
    'TOO_MANY_RECORDS',
    'There are too many records to look for their metadata keys; name those that you need, or ask for one type',
  );

export const handler = toStreamingLambda(exportRecords);
