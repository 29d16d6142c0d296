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

/** API Gateway closes a connection that is idle for five minutes. */
const surveyMsMax = 240_000;

export const exportRecords = defineEndpoint({
  id: 'records.export',
  method: 'GET',
  path: '/v1/records/export',
  permission: 'RECORDS:READ',
  summary: 'Export records as CSV',
  description: `Streams all records that the list returns for the same filters, newest first. The columns are \`name\`, \`type\` and all metadata keys (or those in \`includeFields\`). The metadata keys \`name\` and \`type\` become the columns \`metadata.name\` and \`metadata.type\`. Values that are not text are JSON.

A cell that a spreadsheet could interpret as a formula gets a leading apostrophe, which POST /v1/records/upload-csv removes again. Uploading the file re-creates the same records if their metadata is text. 204 if there are no records.`,
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
    'There are too many records to collect their metadata keys. Name the keys in includeFields, or filter by type',
  );

export const handler = toStreamingLambda(exportRecords);
