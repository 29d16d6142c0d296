import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { bulkDeleter } from '../../shared/domain/records/bulk-delete.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

const idsMax = 1_000;

export const bulkDeleteRecords = defineEndpoint({
  id: 'records.bulk-delete',
  method: 'POST',
  path: '/v1/records/bulk-delete',
  permission: 'RECORDS:WRITE',
  summary: 'Delete many records',
  description:
    'Deletes up to 1,000 records; duplicate ids count once. `notFoundIds` lists the unknown ids. If a request fails midway, ' +
    'send it again: records that are already deleted then count as not found.',
  body: z.strictObject({
    ids: z.array(idOf('record')).min(1).max(idsMax, `Expected at most ${idsMax} ids`),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        success: z.literal(true),
        deleted: z.int(),
        deletedIds: z.array(z.string()),
        notFoundIds: z.array(z.string()),
      }),
    },
  },
  errors: [400, 409, 413, 415],
  needs: { remove: bulkDeleter },

  async handle({ body }, { remove }) {
    const { deletedIds, notFoundIds } = await remove(body.ids);
    return { success: true, deleted: deletedIds.length, deletedIds, notFoundIds } as const;
  },
});

export const handler = toLambda(bulkDeleteRecords);
