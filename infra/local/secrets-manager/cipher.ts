import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts into initialization vector, authentication tag and ciphertext. @param key 32 bytes.
 * `decrypt` throws for other bytes, and for another `context` than `encrypt` was given.
 */
export const createCipher = (key: Buffer, context = '') => ({
  encrypt(content: Uint8Array): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context));
    const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
  },

  decrypt(content: Uint8Array): Buffer {
    const decipher = createDecipheriv(algorithm, key, content.subarray(0, ivBytes));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(content.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(content.subarray(ivBytes + tagBytes)), decipher.final()]);
  },
});
