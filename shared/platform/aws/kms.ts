import {
  DecryptCommand,
  EncryptCommand,
  IncorrectKeyException,
  InvalidCiphertextException,
  KMSClient,
} from '@aws-sdk/client-kms';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { removeSdkLogger, shortTimeouts } from './sdk-clients.ts';

const kms = loadOnce(() => removeSdkLogger(new KMSClient({ requestHandler: shortTimeouts })));

/** Decryption needs the same context. CloudTrail logs it, so it must contain nothing secret. */
export type EncryptionContext = Readonly<Record<string, string>>;

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
