import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { EncryptionContext } from './kms.ts';
import { decrypt, encrypt } from './kms.ts';

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
