import { Readable } from 'node:stream';
import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { csvExporter } from '../../shared/domain/records/csv/export-csv.ts';
import {
  listFields,
  pickFilters,
  recordFilters,
  shownFields,
} from '../../shared/domain/records/record-filters.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';

/** API Gateway closes a connection that is idle for five minutes, and the rows need time too. */
const surveyMsMax = 240_000;

export const exportRecords = defineEndpoint({
  id: 'records.export',
  method: 'GET',
  path: '/v1/records/export',
  permission: 'RECORDS:READ',
  summary: 'Export records as CSV',
  description: `Streams all records that the list returns for the same filters, newest first. The columns are \`name\`, \`type\` and all metadata keys (or those in \`includeFields\`). The metadata keys \`name\` and \`type\` become the columns \`metadata.name\` and \`metadata.type\`. Values that are not text are JSON.

A cell that a spreadsheet could interpret as a formula gets a leading apostrophe, which POST /v1/records/upload-csv removes again. Uploading the file re-creates the same records if their metadata is text. 204 if there are no records.

A response holds up to 100,000 records, about 100 MB, or what the service finds in four minutes. If there may be more, it has the header \`X-Next-After\`: send the same request with \`after\` set to its value for the next file. Each file has the columns of its own records; with \`includeFields\` all have the same.`,
  query: z.object({
    ...recordFilters,
    ...shownFields,
    after: resourceId('record')
      .optional()
      .meta({ description: 'Continues after this record: the `X-Next-After` of an earlier response' }),
  }),
  open: 'reader',
  response: { kind: 'stream', mediaType: 'text/csv', body: z.string(), bodies: { 204: z.void() } },
  errors: [400],
  needs: { exported: csvExporter },

  async handle({ query, timeLeftMs }, { exported }) {
    const begunWith = timeLeftMs();
    const isOver = () => begunWith - timeLeftMs() > surveyMsMax;
    const { after } = query;
    const part = await exported({ filters: pickFilters(query), keys: listFields(query), after, isOver });
    if (!part) return { status: 204 as const, body: undefined };
    const { next, chunks } = part;
    const fileName = after || next ? 'records-part.csv' : 'records.csv';
    return {
      contentType: 'text/csv; charset=utf-8',
      headers: {
        'content-disposition': `attachment; filename="${fileName}"`,
        ...(next && { 'x-next-after': next }),
      },
      stream: Readable.from(chunks),
    };
  },
});

export const handler = toStreamingLambda(exportRecords);
