import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateSecretCommand,
  ListSecretsCommand,
  type SecretListEntry,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, expect, test } from 'vitest';
import { ownTable } from '../../../infra/local/environment.ts';
import type { StackFacts } from '../../../infra/local/stack.ts';
import { newId } from '../../../shared/core/ids.ts';
import { testKeyValueEntity } from '../../../shared/domain/api-keys/key-values.ts';
import { apiKeyEntity, credentialEntity, zeroCounters } from '../../../shared/platform/auth/api-key.ts';
import { deriveKeyFields, generateKey } from '../../../shared/platform/auth/key-format.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { type TenantTable, tenantTable } from '../../../shared/platform/data/table.ts';
import { progressEntity, readProgress } from '../../../shared/platform/run-migration.ts';
import { killAll, killTree, newDirectory, start } from '../../support/stack/processes.ts';

afterEach(killAll);

const migration = '1-test-key-values';
const users = ['ada', 'bo', 'cy'];
const keysPerUser = 60;

interface StoredKey {
  user: string;
  id: string;
  plainKey: string;
}

const clientsOf = ({ aws }: StackFacts) => {
  const client = documentClient(new DynamoDBClient({ endpoint: aws.dynamodb }));
  return {
    tableOf: (tenant: string): TenantTable => tenantTable(client, ownTable, tenant),
    secrets: new SecretsManagerClient({ endpoint: aws.secretsManager }),
  };
};

/** Test keys as they were stored before migration 1, and a stack that has not run it. */
async function storeFormerKeys(facts: StackFacts): Promise<StoredKey[]> {
  const { tableOf, secrets } = clientsOf(facts);
  const keys: StoredKey[] = [];
  for (const user of users) {
    const { writes, commit } = tableOf(`user:${user}`);
    for (let n = 0; n < keysPerUser; n++) {
      const [id, plainKey, at] = [newId('key'), generateKey('test'), new Date().toISOString()];
      const key = {
        id,
        name: 'old',
        userId: user,
        organizationId: null,
        environment: 'test' as const,
        ...deriveKeyFields(plainKey),
        permissions: [],
        allowedIps: [],
        isActive: true,
        expiresAt: null,
        createdAt: at,
        updatedAt: at,
        ...zeroCounters,
      };
      const owner = Buffer.from(`user:${user}`).toString('base64url');
      const Name = `${ownTable}/${owner}/api-keys/${id}`;
      await secrets.send(new CreateSecretCommand({ Name, SecretString: plainKey }));
      await commit([
        writes.insert(apiKeyEntity, key),
        writes.insert(credentialEntity, { ...key, keyId: id }),
      ]);
      keys.push({ user, id, plainKey });
    }
  }
  await whenCompleted(facts);
  await tableOf('').removeAll([progressEntity.key({ id: migration })]);
  return keys;
}

async function whenCompleted(facts: StackFacts) {
  for (let look = 0; ; look++) {
    const progress = await readProgress(clientsOf(facts).tableOf(''), migration);
    if (progress?.state === 'completed' || look === 600) return progress;
    await sleep(100);
  }
}

/** The secrets that are not being deleted. */
async function remainingSecrets(facts: StackFacts): Promise<number> {
  const { secrets } = clientsOf(facts);
  const listed: SecretListEntry[] = [];
  for (let NextToken: string | undefined; ; ) {
    const page = await secrets.send(
      new ListSecretsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
    );
    listed.push(...(page.SecretList ?? []));
    NextToken = page.NextToken;
    if (!NextToken) return listed.filter(({ Name }) => Name?.includes('/api-keys/')).length;
  }
}

/** How many values the API does not return. */
async function unreadable({ url }: StackFacts, keys: readonly StoredKey[]): Promise<number> {
  const json = { 'content-type': 'application/json' };
  let count = 0;
  for (const [user, own] of Map.groupBy(keys, (key) => key.user)) {
    const body = JSON.stringify({ userId: user });
    const session = await fetch(`${url}/local/sessions`, { method: 'POST', headers: json, body });
    const { token } = (await session.json()) as { token: string };
    for (const { id, plainKey } of own) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/v1/api-keys/${id}/reveal`, { headers });
      const { key } = (await answer.json()) as { key?: string };
      if (key !== plainKey) count++;
    }
  }
  return count;
}

test('a migration completes after a kill in its middle: no value is lost, and every value is revealed at any time', async () => {
  const environment = {
    DATA_DIR: newDirectory(),
    RATE_LIMIT_PER_HOUR: '100000',
    RATE_LIMIT_PER_DAY: '100000',
  };
  let stack = await start(environment);
  const keys = await storeFormerKeys(stack.facts);
  expect(await unreadable(stack.facts, keys)).toBe(0);

  const restart = async () => {
    killTree(stack.child);
    stack = await start(environment);
  };
  await restart();
  let remaining = keys.length;
  while (remaining > (keys.length * 2) / 3) remaining = await remainingSecrets(stack.facts);
  await restart();
  expect(remaining).toBeGreaterThan(0);
  const some = keys.filter((_, n) => n % 10 === 0);
  expect(await unreadable(stack.facts, some)).toBe(0);
  await restart();

  expect(await whenCompleted(stack.facts)).toMatchObject({ state: 'completed', round: 1, failed: 0 });
  expect([await remainingSecrets(stack.facts), await unreadable(stack.facts, keys)]).toEqual([0, 0]);
  const { tableOf } = clientsOf(stack.facts);
  for (const user of users) {
    const partition = testKeyValueEntity.key({ id: '' }).PK;
    expect(await tableOf(`user:${user}`).count({ partition })).toBe(keysPerUser);
  }
}, 120_000);
