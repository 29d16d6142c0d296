import { closeSync, openSync } from 'node:fs';
import { StartError } from './start-error.ts';

/** The limit of open files of this process. Node raises it to the hard limit when it starts. */
function openFilesMax(): number {
  // Without it, the report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  const soft = userLimits?.open_files?.soft;
  // Windows has no such limit.
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

const howToRaise =
  'Raise it, for example with `ulimit -n 65536` before the start, `LimitNOFILE=65536` of systemd or `ulimits` of Docker Compose';

/** An idle connection takes about 20 KB of memory. */
const connectionsMax = 5_000;

/** Half of the limit of open files: requests open connections too, to the servers of the stack and to others. */
export const connectionsFor = (filesMax = openFilesMax()) =>
  Math.min(connectionsMax, Math.floor(filesMax / 2));

/** An idle stack has about 80 open. */
const openFilesMin = 256;
const openFilesPlenty = 4_096;

/** @param warn Receives a sentence if the limit is low. @throws StartError if it is too low. */
export function checkOpenFiles(warn: (text: string) => void): void {
  const max = openFilesMax();
  if (max < openFilesMin)
    throw new StartError(
      `The limit of open files is ${max}, but the service needs at least ${openFilesMin}. ${howToRaise}.`,
    );
  if (max < openFilesPlenty)
    warn(
      `The limit of open files is ${max}, so that the API takes at most ${connectionsFor(max)} connections at a time. ${howToRaise}.`,
    );
}

const causes: Record<string, () => string> = {
  EMFILE: () => `the limit of open files of this process, ${openFilesMax()}, is reached. ${howToRaise}`,
  ENFILE: () => "the machine's limit of open files is reached. Raise fs.file-max, or close other programs",
  ENOMEM: () => 'the machine has no memory left. Close other programs, or give it more memory',
  ENOSPC: () => 'the disk is full. Free disk space',
  EDQUOT: () => "this user's disk quota is reached. Free disk space",
  EACCES: () => 'this user has no permission to open it. Start as its owner, or change its owner',
  EPERM: () => 'this user has no permission to open it. Start as its owner, or change its owner',
  EROFS: () => 'its file system is read-only',
};

const sqliteCodes: Record<number, string> = { 7: 'ENOMEM', 8: 'EACCES', 13: 'ENOSPC' };
const sqliteCannotOpen = 14;

/**
 * What the machine or its user lacks, if an error says that, and what to do: then the error says nothing about the
 * contents of a file.
 * @param file The database that SQLite could not open: SQLite does not say why.
 */
export function shortageIn(error: unknown, file?: string): string | undefined {
  const { code = '', errcode = 0 } = error as { code?: string; errcode?: number };
  const primary = errcode & 0xff;
  const name = primary === sqliteCannotOpen && file ? codeOfOpening(file) : (sqliteCodes[primary] ?? code);
  return Object.hasOwn(causes, name) ? causes[name]?.() : undefined;
}

function codeOfOpening(file: string): string {
  try {
    closeSync(openSync(file, 'r+'));
    return '';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
