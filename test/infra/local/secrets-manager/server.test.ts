import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  InvalidRequestException,
  LimitExceededException,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  RestoreSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { startSecretsServer } from '../../../../infra/local/secrets-manager/server.ts';
import { stack } from '../../../support/stack/stack.ts';

const clientOf = (endpoint: string) => new SecretsManagerClient({ endpoint });
const client = () => clientOf(stack().aws.secretsManager);
const newName = () => `test/${randomUUID()}`;

test('a secret is readable by its name and by its ARN, as text or bytes', async () => {
  const Name = newName();
  const { ARN, VersionId } = await client().send(new CreateSecretCommand({ Name, SecretString: 'one' }));
  for (const SecretId of [Name, ARN]) {
    expect(await client().send(new GetSecretValueCommand({ SecretId }))).toMatchObject({
      Name,
      ARN,
      VersionId,
      SecretString: 'one',
      VersionStages: ['AWSCURRENT'],
      CreatedDate: expect.any(Date),
    });
  }
  const SecretBinary = new Uint8Array([0, 255]);
  const binary = newName();
  await client().send(new CreateSecretCommand({ Name: binary, SecretBinary }));
  expect((await client().send(new GetSecretValueCommand({ SecretId: binary }))).SecretBinary).toEqual(
    SecretBinary,
  );
});

test('a new value becomes the current one, and the previous value stays readable', async () => {
  const SecretId = newName();
  await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'one' }));
  for (const SecretString of ['two', 'three']) {
    await client().send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
  const readStage = async (VersionStage?: string) =>
    (await client().send(new GetSecretValueCommand({ SecretId, ...(VersionStage && { VersionStage }) })))
      .SecretString;
  expect(await readStage()).toBe('three');
  expect(await readStage('AWSPREVIOUS')).toBe('two');
  const { VersionIdsToStages = {} } = await client().send(new DescribeSecretCommand({ SecretId }));
  expect(Object.values(VersionIdsToStages).sort()).toEqual([['AWSCURRENT'], ['AWSPREVIOUS']]);
});

test('each value is readable by its version id, even without a version stage', async () => {
  const SecretId = newName();
  const { VersionId } = await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'one' }));
  for (const SecretString of ['two', 'three', 'four']) {
    await client().send(new PutSecretValueCommand({ SecretId, SecretString }));
  }
  const found = await client().send(new GetSecretValueCommand({ SecretId, VersionId }));
  expect(found).toMatchObject({ SecretString: 'one', VersionId });
  expect(found.VersionStages).toEqual([]);
  await expect(
    client().send(new GetSecretValueCommand({ SecretId, VersionId: randomUUID() })),
  ).rejects.toThrow(ResourceNotFoundException);
});

test('a secret accepts a hundred values per day', async () => {
  const SecretId = newName();
  await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: '0' }));
  const put = (n: number) => client().send(new PutSecretValueCommand({ SecretId, SecretString: String(n) }));
  for (let n = 1; n < 100; n++) await put(n);
  await expect(put(100)).rejects.toThrow(LimitExceededException);
  expect((await client().send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('99');
});

test('missing and already existing secrets are rejected with AWS error types', async () => {
  const SecretId = newName();
  for (const command of [
    new GetSecretValueCommand({ SecretId }),
    new PutSecretValueCommand({ SecretId, SecretString: 'x' }),
    new DescribeSecretCommand({ SecretId }),
    new DeleteSecretCommand({ SecretId }),
    new RestoreSecretCommand({ SecretId }),
  ]) {
    await expect(client().send(command as GetSecretValueCommand)).rejects.toThrow(ResourceNotFoundException);
  }
  await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'x' }));
  await expect(client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'x' }))).rejects.toThrow(
    ResourceExistsException,
  );
});

test('repeating a creation is idempotent; another value with the same token is rejected', async () => {
  const sent = { Name: newName(), SecretString: 'x', ClientRequestToken: randomUUID() };
  const first = await client().send(new CreateSecretCommand(sent));
  expect((await client().send(new CreateSecretCommand(sent))).ARN).toBe(first.ARN);
  await expect(client().send(new CreateSecretCommand({ ...sent, SecretString: 'y' }))).rejects.toThrow(
    ResourceExistsException,
  );
});

test('a deleted secret cannot be read or created again until it is restored', async () => {
  const SecretId = newName();
  const create = new CreateSecretCommand({ Name: SecretId, SecretString: 'x' });
  await client().send(create);
  const { DeletionDate } = await client().send(
    new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: 7 }),
  );
  expect(DeletionDate?.getTime()).toBeGreaterThan(Date.now() + 6 * 86_400_000);
  await expect(client().send(new GetSecretValueCommand({ SecretId }))).rejects.toThrow(
    InvalidRequestException,
  );
  for (const command of [
    new CreateSecretCommand({ Name: SecretId }),
    new PutSecretValueCommand({ SecretId, SecretString: 'y' }),
    new DeleteSecretCommand({ SecretId, RecoveryWindowInDays: 7 }),
  ]) {
    await expect(client().send(command as CreateSecretCommand)).rejects.toThrow(InvalidRequestException);
  }
  expect((await client().send(new DescribeSecretCommand({ SecretId }))).DeletedDate).toBeInstanceOf(Date);
  await client().send(new RestoreSecretCommand({ SecretId }));
  expect((await client().send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('x');
});

test('a secret deleted without recovery is gone, and its name is free', async () => {
  const SecretId = newName();
  await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'x' }));
  await client().send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  await expect(client().send(new GetSecretValueCommand({ SecretId }))).rejects.toThrow(
    ResourceNotFoundException,
  );
  await client().send(new CreateSecretCommand({ Name: SecretId, SecretString: 'y' }));
  expect((await client().send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe('y');
});

test('secrets are not readable on disk and survive a restart', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'secrets-'));
  const Name = newName();
  const first = await startSecretsServer(directory);
  await clientOf(first.endpoint).send(new CreateSecretCommand({ Name, SecretString: 'plain-to-see' }));
  await first.stop();
  const files = readdirSync(join(directory, 'secrets')).map((file) => join(directory, 'secrets', file));
  expect(files).toHaveLength(1);
  for (const file of files) expect(readFileSync(file, 'latin1')).not.toMatch(/plain-to-see|test\//);
  for (const file of [...files, join(directory, 'secrets.key')]) expect(statSync(file).mode & 0o077).toBe(0);
  const second = await startSecretsServer(directory);
  const { SecretString } = await clientOf(second.endpoint).send(
    new GetSecretValueCommand({ SecretId: Name }),
  );
  expect(SecretString).toBe('plain-to-see');
  await second.stop();
});
