import * as z from 'zod';
import { createdAtFromId } from '../../core/ids.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { NewMessages, NewMetadata } from './limits.ts';
import { type RecordItem, RecordName, RecordType } from './record.ts';

export const RecordDraft = z.strictObject({
  type: RecordType,
  name: RecordName,
  metadata: NewMetadata.default({}),
  messages: NewMessages.default(null),
});
export type RecordDraft = z.infer<typeof RecordDraft>;

export type Owner = Pick<RecordItem, 'userId' | 'organizationId'> & {
  productSurfaceId?: string | undefined;
};

export function toNewRecord(
  { newId }: Scope,
  { userId, organizationId, productSurfaceId }: Owner,
  { type, name, metadata, messages }: RecordDraft,
): RecordItem {
  const id = newId('record');
  const at = createdAtFromId(id);
  return {
    id,
    userId,
    organizationId,
    type,
    name,
    search: name.toLowerCase(),
    metadata,
    messages,
    ...(productSurfaceId !== undefined && { productSurfaceId }),
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
}
