import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { readStored, writePrivately } from '../runtime/state-files.ts';
import { AwsSchedule, scheduleKey } from './schedule.ts';

const Kept = z.array(z.tuple([z.string(), AwsSchedule]));

/** Keeps each schedule by itself, so that a change costs the same however many there are. Waits for the disk. */
export function openKeptSchedules(directory: string) {
  const file = join(directory, 'schedules.db');
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS schedules (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID',
  );
  chmodSync(file, 0o600);
  const put = database.prepare('INSERT OR REPLACE INTO schedules (key, json) VALUES (?, ?)');
  const remove = database.prepare('DELETE FROM schedules WHERE key = ?');
  const all = database.prepare('SELECT json FROM schedules');

  /** @param changes By their keys; undefined for one that is removed. @throws if the disk is full; then nothing is changed. */
  function write(changes: ReadonlyMap<string, AwsSchedule | undefined>): void {
    database.exec('BEGIN');
    try {
      for (const [key, schedule] of changes) {
        if (schedule) put.run(key, JSON.stringify(schedule));
        else remove.run(key);
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  /** Earlier releases had all in one file. It stays, empty: the list of files of the last start may name it. */
  const former = join(directory, 'schedules.json');
  const kept = readStored(former, Kept) ?? [];
  if (kept.length > 0) {
    write(new Map(kept));
    writePrivately(former, '[]');
  }

  return {
    write,
    read: (): Map<string, AwsSchedule> =>
      new Map(
        all.all().map(({ json }) => {
          const schedule = AwsSchedule.parse(JSON.parse(json as string));
          return [scheduleKey(schedule), schedule];
        }),
      ),
    close() {
      if (database.isOpen) database.close();
    },
  };
}
