import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { shortTimeouts } from './short-timeouts.ts';
import { removeSdkLogger } from './without-sdk-logger.ts';

export const secretsManager = loadOnce(() =>
  removeSdkLogger(new SecretsManagerClient({ requestHandler: shortTimeouts })),
);

/** The name of a tenant's secret in Secrets Manager. IAM grants match its parts. */
export const composeSecretName = (
  tenant: string,
  kind: 'api-keys' | 'secrets' | 'provider-keys' | 'agents' | 'surfaces',
  id: string,
) => `${requireEnv('SECRETS_PREFIX')}/${Buffer.from(tenant).toString('base64url')}/${kind}/${id}`;

const kms = loadOnce(() => removeSdkLogger(new KMSClient({ requestHandler: shortTimeouts })));

/** Decryption needs the same context. CloudTrail logs it, so it must contain nothing secret. */
type EncryptionContext = Readonly<Record<string, string>>;

/** Encrypts up to 4,096 bytes. @param keyEnv The environment variable with the key's ARN. @returns base64 */
export async function encrypt(keyEnv: string, text: string, context: EncryptionContext): Promise<string> {
  const { CiphertextBlob = new Uint8Array() } = await kms().send(
    new EncryptCommand({
      KeyId: requireEnv(keyEnv),
      Plaintext: new TextEncoder().encode(text),
      EncryptionContext: context,
    }),
  );
  return Buffer.from(CiphertextBlob).toString('base64');
}

/** @returns undefined for a ciphertext of another key or another context. */
export async function decrypt(
  keyEnv: string,
  ciphertext: string,
  context: EncryptionContext,
): Promise<string | undefined> {
  const command = new DecryptCommand({
    KeyId: requireEnv(keyEnv),
    CiphertextBlob: Buffer.from(ciphertext, 'base64'),
    EncryptionContext: context,
  });
  try {
    return new TextDecoder().decode((await kms().send(command)).Plaintext);
  } catch (error) {
    if (error instanceof IncorrectKeyException || error instanceof InvalidCiphertextException)
      return undefined;
    throw error;
  }
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts with a key of its own, which KMS encrypts. @param keyEnv The variable with the KMS key's ARN. */
export async function seal(keyEnv: string, text: string, context: EncryptionContext): Promise<string> {
  const key = randomBytes(32);
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const sealedKey = await encrypt(keyEnv, key.toString('base64'), context);
  return `${sealedKey}.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64')}`;
}

/** @returns undefined for what another key, or another context, has sealed. */
export async function unseal(
  keyEnv: string,
  sealed: string,
  context: EncryptionContext,
): Promise<string | undefined> {
  const [sealedKey = '', content = ''] = sealed.split('.');
  const key = await decrypt(keyEnv, sealedKey, context);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(content, 'base64');
  const decipher = createDecipheriv(algorithm, Buffer.from(key, 'base64'), bytes.subarray(0, ivBytes));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]);
  return text.toString('utf8');
}
