import { statfsSync } from 'node:fs';

const sqliteFull = 13;
const sqliteIoError = 10;

/** Whether a file or an SQLite database could not be written because its disk is full. */
export function isFullDisk(error: unknown): boolean {
  const { code, errcode = 0 } = (error ?? {}) as { code?: string; errcode?: number };
  return code === 'ENOSPC' || code === 'EDQUOT' || [sqliteFull, sqliteIoError].includes(errcode & 0xff);
}

const warnedFromPercent = 90;

/** A sentence for the operator, if the disk of a directory is nearly full. */
export function nearlyFullWarning(directory: string): string | undefined {
  const { blocks, bavail, bsize } = statfsSync(directory);
  const percent = Math.floor((100 * (blocks - bavail)) / blocks);
  if (percent < warnedFromPercent) return undefined;
  const left = Math.floor((bavail * bsize) / 2 ** 20);
  return `The disk of ${directory} is ${percent} % full, with ${left} MB left. When it is full, requests that write fail with 507. Free disk space, or see \`npm run doctor -- --local\`.`;
}
