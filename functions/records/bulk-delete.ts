import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { bulkDeleter } from '../../shared/domain/records/bulk/bulk-delete.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const idsMax = 1_000;

export const bulkDeleteRecords = defineEndpoint({
  id: 'records.bulk-delete',
  method: 'POST',
  path: '/v1/records/bulk-delete',
  permission: 'RECORDS:WRITE',
  deletes: true,
  summary: 'Delete many records',
  description:
    'Deletes up to 1,000 records; duplicate ids count once. `notFoundIds` lists the unknown ids. If the time limit of 29 seconds is ' +
    'near, the response says `success: false` and lists the ids that are left in `remainingIds`: send these again. If a request fails ' +
    'midway, send it again: records that are already deleted then count as not found.',
  body: z.strictObject({
    ids: z.array(resourceId('record')).min(1).max(idsMax, `Expected at most ${idsMax} ids`),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        success: z.boolean().meta({ description: 'Whether all records are deleted' }),
        deleted: z.int(),
        deletedIds: z.array(z.string()),
        notFoundIds: z.array(z.string()),
        remainingIds: z
          .array(z.string())
          .optional()
          .meta({ description: 'Not deleted for lack of time; absent if there are none' }),
      }),
    },
  },
  errors: [400, 409],
  needs: { remove: bulkDeleter },

  async handle({ body, timeLeftMs }, { remove }) {
    const { deletedIds, notFoundIds, remainingIds } = await remove(body.ids, timeLeftMs);
    const isComplete = remainingIds.length === 0;
    return {
      success: isComplete,
      deleted: deletedIds.length,
      deletedIds,
      notFoundIds,
      ...(!isComplete && { remainingIds }),
    };
  },
});

export const handler = toLambda(bulkDeleteRecords);
