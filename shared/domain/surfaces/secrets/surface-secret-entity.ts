import * as z from 'zod';
import { defineEntity } from '../../../platform/data/entity.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';

/** All surfaces of a tenant that have, or had, a plaintext. */
export const surfaceSecretsPartition = tenantPartition('SURFACESECRETS');

/** Lists a surface whose plaintexts are in Secrets Manager, also one that was not created after a crash. */
export const surfaceSecretEntity = defineEntity({
  type: 'surfaceSecret',
  schema: z.object({ surfaceId: z.string() }),
  key: ({ surfaceId }: { surfaceId: string }) => ({ PK: surfaceSecretsPartition, SK: surfaceId }),
});
