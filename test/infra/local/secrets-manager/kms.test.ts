import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
  NotFoundException,
} from '@aws-sdk/client-kms';
import { expect, test } from 'vitest';
import { kmsKeyArn as KeyId } from '../../../../infra/local/secrets-manager/kms.ts';
import { startSecretsServer } from '../../../../infra/local/secrets-manager/server.ts';
import { decrypt } from '../../../../shared/platform/aws/kms.ts';
import { stack } from '../../../support/stack/stack.ts';

const kms = new KMSClient({ endpoint: stack().aws.kms });
const bytes = (text: string) => new TextEncoder().encode(text);
const seal = async (client: KMSClient, EncryptionContext: Record<string, string>) =>
  (await client.send(new EncryptCommand({ KeyId, Plaintext: bytes('value'), EncryptionContext })))
    .CiphertextBlob;

test('a ciphertext decrypts with the same context, in any order, and with no other', async () => {
  const CiphertextBlob = await seal(kms, { a: '1', b: '2' });
  const open = (EncryptionContext: Record<string, string>) =>
    kms.send(new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }));
  expect((await open({ b: '2', a: '1' })).Plaintext).toEqual(bytes('value'));
  for (const other of [{}, { a: '1' }, { a: '1', b: '3' }, { a: '1', b: '2', c: '3' }])
    await expect(open(other)).rejects.toThrow(InvalidCiphertextException);
});

test('as on AWS, a plaintext has at most 4,096 bytes, and other keys do not exist', async () => {
  const encrypt = (Plaintext: Uint8Array, key = KeyId) =>
    kms.send(new EncryptCommand({ KeyId: key, Plaintext }));
  await expect(encrypt(new Uint8Array(4_096))).resolves.toBeDefined();
  await expect(encrypt(new Uint8Array(4_097))).rejects.toMatchObject({ name: 'ValidationException' });
  await expect(encrypt(new Uint8Array(1), `${KeyId}x`)).rejects.toThrow(NotFoundException);
});

test('a ciphertext survives a restart, with the key of the directory only; with another, it is no value', async () => {
  const directories = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'kms-')));
  const [here = '', elsewhere] = directories;
  const within = async <T>(directory: string | undefined, use: (client: KMSClient) => Promise<T>) => {
    const { endpoint, stop } = await startSecretsServer(directory);
    try {
      return await use(new KMSClient({ endpoint }));
    } finally {
      await stop();
    }
  };
  const CiphertextBlob = await within(here, (client) => seal(client, {}));
  const open = (client: KMSClient) => client.send(new DecryptCommand({ KeyId, CiphertextBlob }));
  expect((await within(here, open)).Plaintext).toEqual(bytes('value'));
  await expect(within(elsewhere, open)).rejects.toThrow(IncorrectKeyException);
  // As after a table was restored into a deployment with a key of its own.
  const ciphertext = Buffer.from(CiphertextBlob ?? []).toString('base64');
  expect(await decrypt('TEST_KEYS_KMS_KEY', ciphertext, {})).toBeUndefined();
});
