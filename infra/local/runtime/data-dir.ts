import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { shortageIn } from './shortages.ts';
import { StartError } from './start-error.ts';
import { unreadableFileError } from './state-files.ts';

/** The directory of the stack's persistent state. */
export interface DataDir {
  path: string;
  release: () => void;
}

/** The time to wait for an instance that is ending. */
export const lockTimeoutMs = 2_500;

/** Locks the directory for this process. The kernel holds the lock, so a crash releases it. */
export function claimDataDir(directory: string): DataDir {
  const path = resolve(directory);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(path, 'lock.db'));
    lock.exec(`PRAGMA busy_timeout = ${lockTimeoutMs}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`);
    writeFileSync(join(path, 'pid'), `${process.pid}\n`);
    probe(join(path, 'room.tmp'));
    return { path, release: () => lock.close() };
  } catch (error) {
    const { errcode, message } = error as Error & { errcode?: number };
    if (errcode === sqliteBusy) {
      throw new StartError(
        `Another instance (process ${ownerOf(path)}) is using the data directory ${path}. Stop it first, or set DATA_DIR to another directory.`,
      );
    }
    if (errcode === sqliteCorrupt || errcode === sqliteNoDatabase)
      throw unreadableFileError(join(path, 'lock.db'), message);
    const shortage = shortageIn(error, join(path, 'lock.db'));
    throw new StartError(
      `The data directory ${path} cannot be used: ${shortage ?? message}. ${shortage ? 'Or' : 'Free disk space,'} set DATA_DIR to a writable directory, or start with --ephemeral.`,
    );
  }
}

/** Detects a full disk before the start, which would fail halfway. */
function probe(file: string): void {
  try {
    writeFileSync(file, Buffer.alloc(roomBytes));
  } finally {
    rmSync(file, { force: true });
  }
}

const roomBytes = 2 ** 20;

const sqliteBusy = 5;
const sqliteCorrupt = 11;
const sqliteNoDatabase = 26;

function ownerOf(path: string): string {
  try {
    return readFileSync(join(path, 'pid'), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
