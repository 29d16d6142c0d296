import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { shortageIn } from '../runtime/shortages.ts';
import { StartError } from '../runtime/start-error.ts';
import { readIfThere, unreadableFileError, writePrivately } from '../runtime/state-files.ts';
import { createCipher } from './cipher.ts';

const SecretVersion = z.object({
  id: z.string(),
  stages: z.array(z.string()),
  text: z.string().optional(),
  /** Base 64. */
  binary: z.string().optional(),
  createdAt: z.number(),
});
export type SecretVersion = z.infer<typeof SecretVersion>;

export const LocalSecret = z.object({
  name: z.string(),
  arn: z.string(),
  description: z.string().optional(),
  tags: z.array(z.object({ Key: z.string(), Value: z.string() })),
  versions: z.array(SecretVersion),
  createdAt: z.number(),
  changedAt: z.number(),
  /** The end of the recovery window. */
  deleteAt: z.number().optional(),
  deletedAt: z.number().optional(),
});
export type LocalSecret = z.infer<typeof LocalSecret>;

export interface SecretsStore {
  find: (idOrArn: string) => LocalSecret | undefined;
  all: () => readonly LocalSecret[];
  save: (secret: LocalSecret) => void;
  remove: (secret: LocalSecret) => void;
  /** The key of the encrypted files. */
  key: Buffer;
}

/**
 * Secrets by name: in memory, and with a directory also in encrypted files, one each.
 * @param warn Receives a message for each unreadable file.
 */
export function openSecretsStore(directory: string | undefined, warn: (text: string) => void): SecretsStore {
  const vault = directory ? openVault(directory, warn) : undefined;
  const secrets = new Map<string, LocalSecret>(
    (vault?.readAll() ?? []).map((secret) => [secret.name, secret]),
  );
  return {
    key: vault?.key ?? randomBytes(keyBytes),
    all: () => [...secrets.values()],
    find(idOrArn) {
      const name = /^arn:aws:secretsmanager:[^:]*:[^:]*:secret:(.+?)(?:-\w{6})?$/.exec(idOrArn)?.[1];
      return secrets.get(name ?? idOrArn);
    },
    save(secret) {
      vault?.write(secret);
      secrets.set(secret.name, secret);
    },
    remove(secret) {
      vault?.remove(secret);
      secrets.delete(secret.name);
    },
  };
}

/** Encrypted files, named by the hash of the secret's name. */
function openVault(directory: string, warn: (text: string) => void) {
  const folder = join(directory, 'secrets');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = readdirSync(folder).filter((name) => name.endsWith('.secret'));
  const key = vaultKey(join(directory, 'secrets.key'), files.length === 0);
  const { encrypt, decrypt } = createCipher(key);
  const fileOf = (name: string) => join(folder, `${createHash('sha256').update(name).digest('hex')}.secret`);
  const read = (file: string) => {
    try {
      return [LocalSecret.parse(JSON.parse(decrypt(readFileSync(file)).toString()))];
    } catch (error) {
      if (shortageIn(error)) throw unreadableFileError(file, error);
      // The error may contain the value.
      warn(
        `${file} cannot be read. The service starts without the value of this one secret. Restore the file from a backup, or set the secret again.`,
      );
      return [];
    }
  };
  return {
    key,
    readAll: () => files.flatMap((name) => read(join(folder, name))),
    write: (secret: LocalSecret) =>
      writePrivately(fileOf(secret.name), encrypt(Buffer.from(JSON.stringify(secret)))),
    remove: ({ name }: LocalSecret) => rmSync(fileOf(name), { force: true }),
  };
}

const keyBytes = 32;

function vaultKey(file: string, mayBeMade: boolean): Buffer {
  const stored = readIfThere(file);
  if (stored !== undefined) {
    const key = Buffer.from(stored.trim(), 'base64');
    if (key.length === keyBytes) return key;
    throw unreadableFileError(file, `it does not contain a key of ${keyBytes} bytes`);
  }
  if (!mayBeMade) {
    throw new StartError(
      `${file} is missing. It decrypts the values of secrets. Restore it from a backup, or move the folder \`secrets\` beside it away to start without those values.`,
    );
  }
  const key = randomBytes(keyBytes);
  writePrivately(file, key.toString('base64'));
  return key;
}
