/**
 * Moves files of any size: sends one to an import and follows it, and loads what an export wrote.
 *
 * The file goes straight to the store by the address that the import gives, so the service's limit of a request does not
 * apply. A large file is sent in parts, of which a later command sends those that are missing. Both are jobs of the service: a command that is interrupted can be asked again, by the id that it has printed.
 * `records.ts`, `batch.ts` and `run.ts` are the commands.
 */

import { createWriteStream, openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationRequest, OperationResponse } from '../../../client/src/client.ts';
import { CliError } from '../cli-error.ts';
import { callerPath } from '../session/caller-path.ts';
import type { CliSession } from '../session/session.ts';
import { printNotice, showProgress } from '../terminal/output.ts';

export interface FileSettings {
  nameColumn?: string;
  typeColumn?: string;
  type?: string;
  encoding?: string;
  upsert?: true;
  key?: string;
}

type Import = OperationResponse<'imports.get'>;
type NewExport = NonNullable<OperationRequest<'exports.create'>['body']>;

type Upload = OperationResponse<'imports.get'>['upload'];

const pollMs = 500;
const attemptsMax = 6;
const pauseMs = 250;

/** @returns the id of the import, which has begun */
export async function sendFile(
  { client }: CliSession,
  path: string,
  { nameColumn, typeColumn, type, encoding, upsert, key }: FileSettings,
): Promise<string> {
  const file = await openFile(path);
  const { id, upload } = await client.imports.create({
    body: {
      source: { upload: { fileName: basename(path), bytes: file.size } },
      ...(nameColumn !== undefined && { nameColumn }),
      ...(typeColumn === undefined ? { type: type ?? basename(path) } : { typeColumn }),
      ...(encoding !== undefined && { csv: { encoding } }),
      ...((upsert || key !== undefined) && { mode: 'upsert' as const }),
      ...(key !== undefined && { key: key.split(',') }),
    },
  });
  if (upload?.parts) printNotice(`Import ${id}`);
  await sendTo(upload, file, path);
  await client.imports.start({ params: { id }, body: {} });
  return id;
}

/** Sends what is not there yet of the file of an import, which an earlier command began. */
export async function continueFile({ client }: CliSession, path: string, id: string): Promise<string> {
  const { status, upload } = await client.imports.get({ params: { id } });
  if (status !== 'awaiting-upload') return id;
  const file = await openFile(path);
  const bytes = upload?.parts?.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes !== undefined && bytes !== file.size)
    throw new CliError(`${path} has ${file.size} bytes, but the import was created for a file of ${bytes}`);
  await sendTo(upload, file, path);
  await client.imports.start({ params: { id }, body: {} });
  return id;
}

/** One part after the other, each again after a failure. */
async function sendTo(upload: Upload, file: Blob, path: string): Promise<void> {
  if (!upload) throw new CliError('The service gave no address for the file');
  const whole = [{ url: upload.url, bytes: file.size, isUploaded: false }];
  let at = 0;
  for (const { url, bytes, isUploaded } of upload.parts ?? whole) {
    showProgress(`Sending ${basename(path)}: ${Math.floor((100 * at) / Math.max(1, file.size))} %`);
    if (!isUploaded) await sendBytes({ ...upload, url }, file.slice(at, at + bytes));
    at += bytes;
  }
  showProgress('');
}

async function sendBytes({ url, method, headers }: NonNullable<Upload>, body: Blob): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const status = await fetch(url, { method, headers, body }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status;
      },
      () => undefined,
    );
    if (status !== undefined && status < 300) return;
    const isLasting = status !== undefined && status < 500;
    if (isLasting || attempt === attemptsMax)
      throw new CliError(
        `The file could not be sent: ${status === undefined ? 'the connection breaks off' : `the store answers ${status}`}`,
      );
    await sleep(pauseMs * 2 ** attempt);
  }
}

async function openFile(path: string): Promise<Blob> {
  try {
    return await openAsBlob(callerPath(path));
  } catch {
    throw new CliError(`${path} cannot be read`);
  }
}

/** Waits for the end, with the rows and the time left. */
export async function followImport({ client }: CliSession, id: string): Promise<Import> {
  for (;;) {
    const current = await client.imports.get({ params: { id } });
    if (current.completedAt !== null) {
      showProgress('');
      return current;
    }
    const left = current.secondsLeft === null ? '' : `, ${current.secondsLeft} s left`;
    showProgress(`${current.rows.read} rows${left}`);
    await sleep(pollMs);
  }
}

/** What an import came to, as a sentence. */
export const describeImport = ({ status, rows, error }: Import): string =>
  `${status}: ${rows.created} created, ${rows.updated} updated, ${rows.unchanged} unchanged, ${rows.failed} failed${error ? ` (${error.message})` : ''}`;

/** The format and the compression that the name of a file says. */
export function toFileFormat(
  path: string | undefined,
  asked?: string,
): Pick<NewExport, 'format' | 'compress'> {
  const [, named, gzip] = /\.(csv|jsonl|ndjson|parquet)(\.gz)?$/i.exec(path ?? '') ?? [];
  const format = (asked ?? named ?? 'csv').toLowerCase().replace('ndjson', 'jsonl');
  if (format !== 'csv' && format !== 'jsonl' && format !== 'parquet')
    throw new CliError(`${format} is no format. Use csv, jsonl or parquet`);
  return { format, ...(gzip && { compress: 'gzip' as const }) };
}

/** Has the service write a file, and loads it. @returns the number of rows */
export async function downloadExport(
  { client }: CliSession,
  body: NewExport,
  output: string | undefined,
): Promise<number> {
  const { id } = await client.exports.create({ body });
  for (;;) {
    const { status, progress, url, error } = await client.exports.get({ params: { id } });
    if (url !== null) {
      showProgress('');
      await load(url, output);
      return progress.rows;
    }
    if (status === 'failed' || status === 'cancelled')
      throw new CliError(`The export is ${status}${error ? `: ${error.message}` : ''}`);
    showProgress(`${progress.rows} rows`);
    await sleep(pollMs);
  }
}

async function load(url: string, output: string | undefined): Promise<void> {
  const response = await fetch(url);
  if (!response.ok || !response.body)
    throw new CliError(`The file could not be loaded: the store answers ${response.status}`);
  const target = output === undefined ? process.stdout : createWriteStream(callerPath(output));
  await pipeline(Readable.fromWeb(response.body as never), target, { end: output !== undefined });
}
