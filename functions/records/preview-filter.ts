import * as z from 'zod';
import { filterPreviewer } from '../../shared/domain/records/preview-filter.ts';
import { Metadata } from '../../shared/domain/records/record.ts';
import { RecordSelection } from '../../shared/domain/records/record-filters.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const previewFilter = defineEndpoint({
  id: 'records.preview-filter',
  method: 'POST',
  path: '/v1/records/preview-filter',
  noIdempotencyKey: 'It changes nothing',
  permission: 'RECORDS:READ',
  summary: 'Preview a filter',
  description:
    'Counts the records of a type that match a filter, and returns the newest five. Scans the newest 10,000 records of the ' +
    'type, fewer if they are large (40 MB); `truncated` is true if there are more.',
  body: RecordSelection,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        type: z.string(),
        matchedCount: z.int(),
        samples: z.array(z.object({ id: z.string(), name: z.string(), metadata: Metadata })),
        truncated: z.boolean(),
      }),
    },
  },
  errors: [400],
  needs: { preview: filterPreviewer },
  handle: async ({ body }, { preview }) => ({ type: body.type, ...(await preview(body)) }),
});

export const handler = toLambda(previewFilter);
