import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { Metadata, type RecordItem, RecordMessages } from '../../shared/domain/records/record.ts';

export const RecordParams = z.object({ id: resourceId('record') });

export const RecordResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    productSurfaceId: z.string().nullable(),
    importId: z.string().optional().meta({ description: 'The import that created it' }),
    type: z.string(),
    name: z.string(),
    metadata: Metadata,
    messages: RecordMessages,
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Record' });

export const toRecordResponse = (record: RecordItem) => ({
  ...record,
  productSurfaceId: record.productSurfaceId ?? null,
});
