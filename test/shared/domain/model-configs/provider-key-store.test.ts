import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterEach, expect, test, vi } from 'vitest';
import { redactKnownValues } from '../../../../shared/core/redaction/known-values.ts';
import { providerKeyEntity } from '../../../../shared/domain/model-configs/model-account.ts';
import { tenantLimits } from '../../../../shared/domain/tenant-limits.ts';
import type { StoredItem } from '../../../../shared/platform/data/table.ts';
import { auditEntity } from '../../../../shared/platform/identity/audit.ts';
import { deploymentKeys, modelWorld } from '../../../support/models/model-world.ts';

afterEach(() => vi.restoreAllMocks());

const broken = () => {
  throw new Error('The table is unreachable');
};

test('the table does not have the value, and the log does not show it', async () => {
  const { key, scope } = modelWorld();
  const stored = await key({ apiKey: 'sk-a-value-of-a-key' });
  expect(JSON.stringify(stored)).not.toContain('sk-a-value');
  expect(
    JSON.stringify(await scope.table.queryAll({ partition: providerKeyEntity.key({ id: stored.id }).PK })),
  ).not.toContain('sk-a-value');
  expect(redactKnownValues('it was sk-a-value-of-a-key')).not.toContain('sk-a-value');
});

test('if a new key is refused after its value was stored, the value is deleted', async () => {
  const { key, scope } = modelWorld();
  await key();
  const [, item] = await scope.table.queryAll({ partition: providerKeyEntity.key({ id: '' }).PK });
  const full = Array.from({ length: tenantLimits['provider keys'] }, () => item as StoredItem);
  const send = vi.spyOn(SecretsManagerClient.prototype, 'send');
  vi.spyOn(scope.table, 'queryAll').mockResolvedValueOnce([]).mockResolvedValueOnce(full);
  await expect(key()).rejects.toMatchObject({ details: [{ code: 'LIMIT_REACHED' }] });
  const sent = send.mock.calls.map(([command]) => command.constructor.name);
  expect(sent).toEqual(['PutSecretValueCommand', 'CreateSecretCommand', 'DeleteSecretCommand']);
});

test('if the table fails, the value remains, because the key may have been stored', async () => {
  const { key, scope } = modelWorld();
  const send = vi.spyOn(SecretsManagerClient.prototype, 'send');
  vi.spyOn(scope.table, 'commit').mockImplementation(broken);
  await expect(key()).rejects.toThrow('The table is unreachable');
  expect(send.mock.calls.map(([command]) => command.constructor.name)).not.toContain('DeleteSecretCommand');
});

test('a deletion that fails in the middle is completed by the next one; until then runs fail with a sentence', async () => {
  deploymentKeys();
  const { key, keys, principal, resolve, scope } = modelWorld();
  const { id } = await key({ apiKey: 'sk-to-be-deleted' });
  const commit = vi.spyOn(scope.table, 'commit').mockImplementationOnce(broken);
  await expect(keys.remove(principal, id)).rejects.toThrow('The table is unreachable');
  expect(await keys.list()).toHaveLength(1);
  await expect(resolve('openai/gpt-4o')).rejects.toThrow(
    `The provider key ${id} of openai was deleted; choose another one`,
  );
  expect(commit).toHaveBeenCalledOnce();
  await keys.remove(principal, id);
  expect(await keys.list()).toEqual([]);
});

test('a key that is being deleted cannot be rotated', async () => {
  const { key, keys, principal, scope } = modelWorld();
  const { id } = await key();
  vi.spyOn(scope.table, 'commit').mockImplementationOnce(broken);
  await expect(keys.remove(principal, id)).rejects.toThrow('The table is unreachable');
  await expect(keys.update(principal, id, { apiKey: 'another-value' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});

test('every change is audited, without a value', async () => {
  const { config, configs, key, keys, principal, scope } = modelWorld();
  const { id } = await key({ apiKey: 'sk-the-first-value' });
  await keys.update(principal, id, { apiKey: 'sk-the-second-value' });
  await keys.update(principal, id, { name: 'other' });
  await keys.remove(principal, id);
  const { id: configId } = await config({ provider: 'openai', modelId: 'gpt-4o' });
  await configs.update(principal, configId, { settings: {} });
  await configs.remove(principal, configId);
  const { PK: partition } = auditEntity.key({ id: '', at: new Date().toISOString() });
  const items = await scope.table.queryAll({ partition, consistent: true });
  expect(items.map(({ action, targetId }) => [action, targetId])).toEqual([
    ...['created', 'rotated', 'updated', 'deleted'].map((verb) => [`provider-key.${verb}`, id]),
    ...['created', 'updated', 'deleted'].map((verb) => [`model-config.${verb}`, configId]),
  ]);
  expect(JSON.stringify(items)).not.toContain('sk-the');
});
