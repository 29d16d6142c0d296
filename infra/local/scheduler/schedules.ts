import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { isStorageFull } from '../../../shared/platform/aws/storage-full.ts';
import { systemClocks, watchClock } from '../runtime/clock-jumps.ts';
import { readStored, writePrivately } from '../runtime/state-files.ts';
import { firesOnce, parseExpression } from './expressions.ts';
import { AwsSchedule, type ScheduleKey, scheduleKey } from './schedule.ts';

/** The maximum delay of a timer. */
const timerMsMax = 2 ** 31 - 1;

const correctionMsMax = 60_000;

export type ScheduleTable = ReturnType<typeof openSchedules>;

/**
 * Schedules, stored in a database. Overdue ones that fire once fire at the next start; a recurring one goes on with its next
 * time.
 * @param urlOf The URL of a queue, by its ARN.
 */
export function openSchedules(
  directory: string | undefined,
  urlOf: (arn: string) => string,
  clocks = systemClocks,
) {
  const { wall } = clocks;
  let watch: Disposable | undefined;
  const kept = directory === undefined ? undefined : openKeptSchedules(directory);
  const schedules = kept?.read() ?? new Map<string, AwsSchedule>();
  const timers = new Map<string, { timer: NodeJS.Timeout; due: number }>();
  const sender = openSender(urlOf);

  let saving: Promise<void> | undefined;
  let changed = new Set<string>();

  /** Concurrent changes share one write, which waits for the disk. */
  function save(key: ScheduleKey): Promise<void> {
    changed.add(scheduleKey(key));
    saving ??= setImmediate().then(() => {
      const changes = new Map([...changed].map((name) => [name, schedules.get(name)]));
      saving = undefined;
      changed = new Set();
      kept?.write(changes);
    });
    return saving;
  }

  async function fire(schedule: AwsSchedule, dueMs: number) {
    timers.delete(scheduleKey(schedule));
    const sent = sender.send(schedule);
    if (!firesOnce(schedule.ScheduleExpression)) {
      // What was missed while the machine slept is not made up for, as after a restart.
      arm(schedule, Math.max(dueMs, wall()));
      return;
    }
    await sent;
    // AWS keeps a finished schedule otherwise.
    if (schedule.ActionAfterCompletion === 'NONE' || schedules.get(scheduleKey(schedule)) !== schedule)
      return;
    await remove(schedule).catch((error) =>
      log.warn('A finished schedule could not be removed from the disk; it runs again at the next start', {
        error,
      }),
    );
  }

  /** @param after Unix ms. */
  function arm(schedule: AwsSchedule, after: number) {
    const due = parseExpression(schedule.ScheduleExpression)(after, schedule.ScheduleExpressionTimezone);
    if (due === undefined) return;
    wait(schedule, due);
  }

  function wait(schedule: AwsSchedule, due: number) {
    const inMs = Math.max(0, due - wall());
    const timer =
      inMs > timerMsMax
        ? setTimeout(() => wait(schedule, due), timerMsMax)
        : setTimeout(() => fire(schedule, due), inMs);
    timers.set(scheduleKey(schedule), { timer, due });
  }

  function disarm(key: ScheduleKey) {
    clearTimeout(timers.get(scheduleKey(key))?.timer);
    timers.delete(scheduleKey(key));
  }

  async function remove(key: ScheduleKey): Promise<boolean> {
    disarm(key);
    const existed = schedules.delete(scheduleKey(key));
    if (existed) await save(key);
    return existed;
  }

  /** One in the past fires at once, as on AWS. */
  const armed = (schedule: AwsSchedule) => arm(schedule, firesOnce(schedule.ScheduleExpression) ? 0 : wall());

  /**
   * Compares all due times with a clock that was set. What became due fires. Set back, a recurring one takes its next
   * time of the new clock; one that fires once still waits no longer than it would have.
   */
  function rearm(byMs: number) {
    for (const [key, { timer, due }] of [...timers]) {
      const schedule = schedules.get(key);
      const isOnce = !schedule || firesOnce(schedule.ScheduleExpression);
      if (!schedule || (byMs < 0 && isOnce)) continue;
      clearTimeout(timer);
      // After a small correction, a time that has fired does not come again.
      if (byMs < -correctionMsMax) arm(schedule, wall());
      else wait(schedule, due);
    }
  }

  async function put(schedule: AwsSchedule): Promise<void> {
    const key = scheduleKey(schedule);
    const before = schedules.get(key);
    schedules.set(key, schedule);
    await save(schedule).catch((error) => {
      if (before) schedules.set(key, before);
      else schedules.delete(key);
      throw error;
    });
    disarm(schedule);
    armed(schedule);
  }

  return {
    /** Starts firing stored and new schedules. */
    start: () => {
      watch ??= watchClock(rearm, clocks);
      schedules.forEach(armed);
    },
    async stop(): Promise<void> {
      watch?.[Symbol.dispose]();
      for (const { timer } of timers.values()) clearTimeout(timer);
      sender.stop();
      await saving?.catch(() => {});
    },
    /** Call it when nothing is created any more. */
    close: () => kept?.close(),
    get: (key: ScheduleKey) => schedules.get(scheduleKey(key)),
    remove,
    /** @returns false if the name is taken. */
    async create(schedule: AwsSchedule): Promise<boolean> {
      if (schedules.has(scheduleKey(schedule))) return false;
      await put(schedule);
      return true;
    },
    /** Replaces all members. @returns false if there is no such schedule. */
    async update(schedule: AwsSchedule): Promise<boolean> {
      if (!schedules.has(scheduleKey(schedule))) return false;
      await put(schedule);
      return true;
    },
  };
}

const Kept = z.array(z.tuple([z.string(), AwsSchedule]));

/** Keeps each schedule by itself, so that a change costs the same however many there are. Waits for the disk. */
function openKeptSchedules(directory: string) {
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

const retryMs = 1_000;

/** Sends the messages of schedules, within their retry policies. A message that expires goes to the dead-letter queue. */
function openSender(urlOf: (arn: string) => string) {
  const stopping = new AbortController();
  let sqs: SQSClient | undefined;

  function sendTo(arn: string, { Target }: AwsSchedule) {
    sqs ??= new SQSClient({});
    return sqs.send(new SendMessageCommand({ QueueUrl: urlOf(arn), MessageBody: Target.Input }));
  }

  async function send(schedule: AwsSchedule): Promise<void> {
    const { Arn, RetryPolicy, DeadLetterConfig } = schedule.Target;
    const expiresAt = performance.now() + RetryPolicy.MaximumEventAgeInSeconds * 1_000;
    for (let attempts = 0; !stopping.signal.aborted; ) {
      try {
        await sendTo(Arn, schedule);
        return;
      } catch (error) {
        log.warn('A schedule could not send its message', { error, schedule: scheduleKey(schedule) });
        // A full disk takes neither this message nor the one for the dead-letter queue.
        if (!isStorageFull(error)) attempts++;
        if (attempts > RetryPolicy.MaximumRetryAttempts || performance.now() > expiresAt) break;
        await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    if (stopping.signal.aborted || !DeadLetterConfig) return;
    await sendTo(DeadLetterConfig.Arn, schedule).catch((error) =>
      log.error('A message of a schedule is lost', { error, schedule: scheduleKey(schedule) }),
    );
  }

  return { send, stop: () => stopping.abort() };
}
