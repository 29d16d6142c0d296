import { hkdfSync } from 'node:crypto';
import * as z from 'zod';
import { accountId, region } from '../runtime/account.ts';
import { createCipher } from './cipher.ts';
import { SecretsError } from './errors.ts';

/** The only key of the stand-in. */
export const kmsKeyArn = `arn:aws:kms:${region}:${accountId}:key/00000000-0000-4000-8000-000000000000`;

const plaintextBytesMax = 4_096;
const Base64 = z.base64().transform((text) => Buffer.from(text, 'base64'));
const Context = z.record(z.string(), z.string()).default({});
const Encrypt = z.object({ KeyId: z.string(), Plaintext: Base64, EncryptionContext: Context });
const Decrypt = z.object({ KeyId: z.string(), CiphertextBlob: Base64, EncryptionContext: Context });

const keyNameBytes = 16;

/**
 * The operations of KMS on one symmetric key, which is derived from the key of the secrets' files. As on AWS, a ciphertext
 * names its key.
 */
export function kmsActions(secretsKey: Buffer): Record<string, (input: unknown) => object> {
  const key = Buffer.from(hkdfSync('sha256', secretsKey, '', 'kms', 32));
  const keyName = Buffer.from(hkdfSync('sha256', secretsKey, '', 'kms key name', keyNameBytes));
  const cipherFor = (keyId: string, context: Record<string, string>) => {
    if (keyId !== kmsKeyArn) throw new SecretsError('NotFoundException', `Key '${keyId}' does not exist`);
    return createCipher(key, JSON.stringify(Object.entries(context).toSorted()));
  };
  const summary = { KeyId: kmsKeyArn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  return {
    Encrypt(input) {
      const { KeyId, Plaintext, EncryptionContext } = Encrypt.parse(input);
      if (Plaintext.length === 0 || Plaintext.length > plaintextBytesMax)
        throw new SecretsError('ValidationException', `plaintext must have 1 to ${plaintextBytesMax} bytes`);
      const encrypted = cipherFor(KeyId, EncryptionContext).encrypt(Plaintext);
      return { ...summary, CiphertextBlob: Buffer.concat([keyName, encrypted]).toString('base64') };
    },

    Decrypt(input) {
      const { KeyId, CiphertextBlob, EncryptionContext } = Decrypt.parse(input);
      const cipher = cipherFor(KeyId, EncryptionContext);
      if (!CiphertextBlob.subarray(0, keyNameBytes).equals(keyName))
        throw new SecretsError('IncorrectKeyException', 'Another key encrypted the ciphertext');
      try {
        const plaintext = cipher.decrypt(CiphertextBlob.subarray(keyNameBytes));
        return { ...summary, Plaintext: plaintext.toString('base64') };
      } catch {
        throw new SecretsError('InvalidCiphertextException', 'The ciphertext cannot be decrypted');
      }
    },
  };
}
