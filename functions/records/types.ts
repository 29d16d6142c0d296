import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { recordTypes } from '../../shared/domain/records/schema-discovery.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const example = {
  types: [
    {
      type: 'airport',
      count: 84,
      newestId: 'record_01k9m4v7d3x8qz5w2r6t0y1hbn',
      newestAt: '2026-11-22T09:30:00.000Z',
    },
  ],
  recordsRead: 84,
  truncated: false,
  nextCursor: null,
};

export const listRecordTypes = defineEndpoint({
  id: 'records.types',
  method: 'GET',
  path: '/v1/records/types',
  permission: 'RECORDS:READ',
  summary: 'List the types of records',
  description:
    'Returns the types of the newest 10,000 records (`recordsRead`), the type of the newest record first, and how many of these records have each. `truncated` is true if there are more records: `nextCursor` continues with the next 10,000, whose types may be the same, so add the counts up.',
  query: z.object({
    cursor: resourceId('record').optional().meta({ description: 'The nextCursor of an earlier response' }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z
        .object({
          types: z.array(
            z.object({
              type: z.string(),
              count: z.int().meta({ description: 'How many of the records that were read have it' }),
              newestId: z.string(),
              newestAt: z.string().meta({ description: 'When its newest record was created' }),
            }),
          ),
          recordsRead: z.int(),
          truncated: z.boolean(),
          nextCursor: z.string().nullable(),
        })
        .meta({ id: 'RecordTypes', examples: [example] }),
    },
  },
  errors: [400],
  needs: { typesFrom: recordTypes },

  async handle({ query: { cursor }, timeLeftMs }, { typesFrom }) {
    const page = await typesFrom(cursor, timeLeftMs);
    return { ...page, truncated: page.nextCursor !== null };
  },
});

export const handler = toLambda(listRecordTypes);
