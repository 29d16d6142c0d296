import { invalidAt } from '../../core/errors/errors.ts';
import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import type { Key } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { clientTokenEntity } from '../client-tokens/client-token.ts';
import { flowEntity } from '../flows/flow.ts';
import { modelConfigEntity } from '../model-configs/model-account.ts';
import { productEntity, productsPartition } from '../products/product.ts';
import { scheduleEntity } from '../schedules/schedule.ts';

/** What settings of a tenant are for (budgets, alerts). It exists when they are made, and may be deleted later. */
const keys = {
  flow: (id) => flowEntity.key({ id }),
  agent: (id) => agentEntity.key({ id }),
  product: (id) => productEntity.key({ id }),
  apiKey: (id) => apiKeyEntity.key({ id }),
  clientToken: (id) => clientTokenEntity.key({ id }),
  modelConfig: (id) => modelConfigEntity.key({ id }),
  schedule: (id) => scheduleEntity.key({ id }),
} satisfies Record<string, (id: string) => Key>;

export type NamedTarget = keyof typeof keys | 'surface';

const nouns: Partial<Record<NamedTarget, string>> = {
  apiKey: 'API key',
  clientToken: 'client token',
  modelConfig: 'model config',
};

/** @throws 400 at this path unless it exists */
export async function assertTargetExists(
  table: TenantTable,
  path: string,
  type: NamedTarget,
  id: string,
): Promise<void> {
  const exists =
    type === 'surface' ? await hasSurface(table, id) : (await table.getMany([keys[type](id)]))[0];
  if (!exists) throw invalidAt(path, 'NOT_FOUND', `There is no ${nouns[type] ?? type} ${id}`);
}

/** The products of a tenant list their surfaces. */
async function hasSurface(table: TenantTable, id: string): Promise<boolean> {
  for await (const items of table.pages({ partition: productsPartition, index: 1 })) {
    for (const { summary } of items) {
      const { surfaces = [] } = (summary ?? {}) as { surfaces?: { id: string }[] };
      if (surfaces.some((surface) => surface.id === id)) return true;
    }
  }
  return false;
}
