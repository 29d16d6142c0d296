import type { Payer } from '../../adapters/ports/payer.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { apiKeyEntity } from '../../platform/auth/api-key.ts';
import type { Key } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEntity } from '../agents/config/agent.ts';
import { clientTokenEntity } from '../client-tokens/client-token.ts';
import { flowEntity } from '../flows/flow.ts';
import { modelConfigEntity } from '../model-configs/model-account.ts';
import { productEntity, productsPartition } from '../products/product.ts';
import type { BudgetScope } from './budget/budget.ts';

const keys: Record<Exclude<Payer['type'], 'tenant' | 'surface'>, (id: string) => Key> = {
  flow: (id) => flowEntity.key({ id }),
  agent: (id) => agentEntity.key({ id }),
  product: (id) => productEntity.key({ id }),
  apiKey: (id) => apiKeyEntity.key({ id }),
  clientToken: (id) => clientTokenEntity.key({ id }),
  modelConfig: (id) => modelConfigEntity.key({ id }),
};

/** @throws 400 unless what a budget is for exists */
export async function assertPayerExists({ table }: Scope, { type, id = '' }: BudgetScope): Promise<void> {
  if (type === 'tenant') return;
  const exists =
    type === 'surface' ? await hasSurface(table, id) : (await table.getMany([keys[type](id)]))[0];
  if (!exists) throw invalidAt('scope.id', 'NOT_FOUND', `There is no ${names[type]} ${id}`);
}

const names = {
  flow: 'flow',
  agent: 'agent',
  product: 'product',
  surface: 'surface',
  apiKey: 'API key',
  clientToken: 'client token',
  modelConfig: 'model config',
};

/** The products of a tenant list their surfaces. */
async function hasSurface(table: Scope['table'], id: string): Promise<boolean> {
  for await (const items of table.pages({ partition: productsPartition, index: 1 })) {
    for (const { summary } of items) {
      const { surfaces = [] } = (summary ?? {}) as { surfaces?: { id: string }[] };
      if (surfaces.some((surface) => surface.id === id)) return true;
    }
  }
  return false;
}
