import { loadCatalog } from '../../../adapters/models/catalog.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import { assertKnownModel, assertOwnKey } from '../../model-configs/config-changes.ts';
import { type ModelConfig, readModelAccount } from '../../model-configs/model-account.ts';
import { modelConfigsKind } from '../kinds/model-configs.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import { type PlannedChange, savedChanges } from '../plan.ts';
import { refusalProblems } from './refused.ts';

/** Why model configs cannot be saved: the catalog has no such model, or the key is of another provider. */
export async function modelConfigProblems(
  table: TenantTable,
  changes: readonly PlannedChange[],
  toId: ReplaceReference,
): Promise<ErrorDetail[]> {
  const saved = savedChanges(changes, 'modelConfigs');
  if (saved.length === 0) return [];
  const [catalog, account] = await Promise.all([loadCatalog(), readModelAccount(table)]);
  const found = saved.flatMap(({ node }) => {
    const content = modelConfigsKind.references(node.after?.content ?? {}, toId);
    const config = { settings: {}, providerKeyId: null, ...content } as unknown as ModelConfig;
    return [
      refusalProblems(node, () => assertKnownModel(catalog, config)),
      refusalProblems(node, () => assertOwnKey(account, config)),
    ];
  });
  return (await Promise.all(found)).flat();
}
