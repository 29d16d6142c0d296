import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { log } from '../../shared/core/log.ts';
import { StartError } from './runtime/start-error.ts';
import { readStored, unreadableFileError, writePrivately } from './runtime/state-files.ts';

/** The names of the files in the data directory, as the last or the running instance listed them. */
const Contents = z.array(z.string());
const contentsFile = 'contents.json';

export interface Databases {
  /** Call when every server has created its files. */
  watch: () => void;
  /** Call when every server has ended. */
  close: () => void;
}

/**
 * Checks the databases of the data directory before their servers open them. Then holds a connection to each: SQLite
 * keeps a write-ahead log (`-wal`) as long as a connection is open, and `close` merges it. A log that is missing at the
 * next start was therefore not copied.
 * @param warn Receives a message for each missing file.
 */
export function openDatabases(directory: string, warn: (text: string) => void): Databases {
  const listed = readStored(join(directory, contentsFile), Contents);
  reportMissing(directory, listed ?? [], warn);
  const open = new Map<string, DatabaseSync>();
  const openAll = () => {
    for (const name of databasesIn(directory)) {
      const database = open.has(name) ? undefined : openChecked(join(directory, name));
      if (database) open.set(name, database);
    }
  };
  const writeList = (names: string[]) => writeContents(join(directory, contentsFile), names);
  /** @param expectedFiles The files that the next start expects, apart from the logs of the open databases. */
  function close(expectedFiles: () => string[]) {
    const names = expectedFiles();
    const logs = [...open.keys()].map((name) => `${name}-wal`);
    // Write the list before a log is removed, so that it never names a missing log.
    writeList(names.filter((name) => !logs.includes(name)));
    for (const database of open.values()) {
      merge(database);
      database.close();
    }
    writeList(names.filter((name) => !logs.includes(name) || existsSync(join(directory, name))));
  }

  try {
    refuseEmptied(directory, listed ?? []);
    openAll();
  } catch (error) {
    close(() => listed ?? []);
    throw error;
  }
  if (!listed) reportEmpty(directory, open, warn);
  return {
    watch() {
      openAll();
      writeList(filesIn(directory));
    },
    close: () => close(() => filesIn(directory)),
  };
}

/** Writes the list. If that fails, for example on a full disk, deletes the old list, because it names merged logs. */
function writeContents(file: string, names: string[]): void {
  try {
    writePrivately(file, JSON.stringify(names, undefined, 2));
  } catch (error) {
    rmSync(file, { force: true });
    log.warn('The list of files could not be written; the next start does not check for missing files', {
      error,
    });
  }
}

const unlisted = /^(?:lock\.db|pid|contents\.json)|(?:\.tmp|-shm|-journal)$/;

const filesIn = (directory: string) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !unlisted.test(entry.name))
    .map(({ name }) => name);

const databasesIn = (directory: string) => filesIn(directory).filter((name) => name.endsWith('.db'));

const sqliteBusy = 5;

/** Checking a larger database would delay the start by many seconds. */
const checkedBytesMax = 1_000_000_000;

/**
 * Reading the schema detects a file that is not an SQLite database or is truncated; reading everything also detects
 * damage further on.
 * @returns undefined if the server has locked it.
 */
function openChecked(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    if (tablesIn(database) > 0 && statSync(file).size <= checkedBytesMax) refuseDamaged(file, database);
    return database;
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error instanceof StartError ? error : unreadableFileError(file, error);
  }
}

function refuseDamaged(file: string, database: DatabaseSync): void {
  const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {};
  if (found !== 'ok') throw unreadableFileError(file, 'the database disk image is malformed');
}

const tablesIn = (database: DatabaseSync) =>
  Number(database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count);

function merge(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    log.warn('The write-ahead log of a database could not be merged; the next start merges it', { error });
  }
}

function reportMissing(directory: string, listed: readonly string[], warn: (text: string) => void): void {
  const missing = listed.filter((name) => !existsSync(join(directory, name)));
  const logs = missing.filter((name) => name.endsWith('-wal')).map((name) => join(directory, name));
  if (logs.length > 0) {
    throw new StartError(
      `Missing: ${logs.join(', ')}, with the latest changes of an instance that was running or killed. Stop the service and copy the whole directory again, or delete ${join(directory, contentsFile)} to start without those changes.`,
    );
  }
  for (const name of missing) {
    warn(`${join(directory, name)} is missing. The service starts without its contents.`);
  }
}

/** Refuses a listed database file that is empty: SQLite would accept it as a new database. */
function refuseEmptied(directory: string, listed: readonly string[]): void {
  for (const name of databasesIn(directory)) {
    const file = join(directory, name);
    if (listed.includes(name) && statSync(file).size === 0) throw unreadableFileError(file, 'it is empty');
  }
}

/** If there is no list, warns of each database without tables: it may have been copied without its log. */
function reportEmpty(
  directory: string,
  databases: ReadonlyMap<string, DatabaseSync>,
  warn: (text: string) => void,
): void {
  for (const [name, database] of databases) {
    if (tablesIn(database) > 0) continue;
    warn(
      `${join(directory, name)} is empty. If this directory is a copy, ${name}-wal is missing: stop the service and copy the whole directory again.`,
    );
  }
}
