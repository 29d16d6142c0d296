import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { modelsPartition } from '../budgets/budget/budget.ts';

/** A provider takes no calls with a key until then. Stands where a run reads its model, so that it costs no request more. */
const KeyPause = z.object({
  /** Of the provider key; of the deployment's key, the name of the provider. */
  id: z.string(),
  until: z.string(),
  ttl: z.int(),
});
export type KeyPause = z.infer<typeof KeyPause>;

export const keyPauseEntity = defineEntity({
  type: 'keyPause',
  schema: KeyPause,
  key: ({ id }: { id: string }) => ({ PK: modelsPartition, SK: `PAUSE#${id}` }),
});
