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
    'Up to 1,000 a call; an id that stands twice counts once. Ids that no record has come back in `notFoundIds`, ' +
    'the others are deleted as a single one is. A call that broke off can be sent again: what it deleted then ' +
    'counts as not found.',
  body: z.strictObject({
    ids: z.array(idOf('record')).min(1).max(idsMax, `A call deletes ${idsMax} records at most`),
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
