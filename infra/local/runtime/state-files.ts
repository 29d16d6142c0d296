import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';
import type * as z from 'zod';
import { shortageIn } from './shortages.ts';
import { StartError } from './start-error.ts';

/** The loss that each damaged file of the data directory causes, for the user to weigh. */
export const held: Record<string, string> = {
  'contents.json': 'the check that all files are there',
  'credentials.json': 'the printed API keys; new ones are generated',
  'dynoxide.db': 'flows, records, results and keys',
  'fauxqs.db': 'queued messages, large payloads and stored files',
  'lock.db': 'nothing',
  'log-marks.json': 'the check that the write-ahead logs are whole',
  'oidc-key.json': 'the signing key of session tokens; existing tokens become invalid',
  'outbox.db': 'the outbox: messages that flows sent',
  'schedules.db': 'the times at which suspended runs resume',
  'schedules.json': 'the times at which suspended runs resume',
  'secrets.key': 'the values of secrets; also move the folder `secrets` away',
  'shared-local-instance.db': 'flows, records, results and keys',
  'vectors.db': 'the vectors',
};

/** @param why The error of reading it, or a text. Advises to move the file away only if it is damaged. */
export function unreadableFileError(file: string, why: unknown): StartError {
  const shortage = shortageIn(why, file);
  if (shortage) return new StartError(`${file} cannot be opened, but is not damaged: ${shortage}.`);
  const text = why instanceof Error ? why.message : why;
  return new StartError(
    `${file} cannot be read: ${text}. Restore it from a backup, or move it away and start with --accept-loss, without its contents (${held[basename(file)] ?? 'unknown'}).`,
  );
}

/** Writes atomically, even in case of a power failure. Only the owner can read the file. */
export function writePrivately(file: string, content: string | Buffer): void {
  const temporary = `${file}.tmp`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

/** @returns undefined if the file does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadableFileError(file, error);
  }
}

/** JSON that was written here, or undefined where there is no such file. Its text never gets into an error. */
export function readStored<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.output<Schema> | undefined {
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(parsedOrUndefined(text));
  if (parsed.success) return parsed.data;
  throw unreadableFileError(file, text === '' ? 'it is empty' : 'it does not contain the expected JSON');
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
