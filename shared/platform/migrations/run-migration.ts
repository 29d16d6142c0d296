/**
 * Runs one portion of a migration: walks the table from where the last page ended, applies the migration to each item, and
 * stores the progress after each page.
 *
 * Called by the worker for each message of the queue (`functions/workers/migrate.ts`), which sends the next one while there is
 * more. Two workers on the same page are told apart by the number of the page: the slower one stops. A worker that dies leaves
 * its page to be repeated, so a migration must be repeatable. An item that fails is recorded and skipped; an outage fails the
 * whole message, which comes back.
 */

import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { ConditionFailed, isContention, isOutage } from '../data/condition-failed.ts';
import { decode } from '../data/entity.ts';
import { readTenant } from '../data/keys.ts';
import type { Scope } from '../data/scope.ts';
import type { StoredItem } from '../data/table.ts';
import type { WalkedPage, WalkTable } from '../data/walk.ts';
import type { Migration } from './migration.ts';
import { failuresMax, isSamePage, type MigrationProgress, progressEntity, readProgress } from './progress.ts';

export interface MigrationRuntime {
  scopeOf: (tenant: string) => Scope;
  walk: WalkTable;
}

export interface Portion {
  pages: number;
  itemsPerPage: number;
}

/** 10,000 items: seconds for items of other kinds, and half a minute if each needs 30 ms. */
const usualPortion: Portion = { pages: 20, itemsPerPage: 500 };

/** Items of a page that are worked on at a time. */
const concurrency = 10;

/** Stores progress after each page, so a page whose worker dies is repeated. @returns whether to go on. */
export async function runMigration(
  runtime: MigrationRuntime,
  migration: Migration,
  { pages, itemsPerPage }: Portion = usualPortion,
): Promise<boolean> {
  const { table } = runtime.scopeOf('');
  for (let page = 0; page < pages; page++) {
    const progress = await readProgress(table, migration.id);
    if (progress?.state !== 'running') return false;
    const { entity, filter } = migration;
    const walked = await runtime.walk({
      entity,
      limit: itemsPerPage,
      after: progress.after,
      ...(filter && { filter }),
    });
    const outcome = await applyTo(runtime, migration, walked.items);
    if (!(await count(runtime, progress, walked, outcome))) return false;
  }
  return true;
}

interface Outcome {
  changed: number;
  failures: MigrationProgress['failures'];
}

/** @throws what would fail for every item, and may pass: the message comes back. */
async function applyTo(runtime: MigrationRuntime, migration: Migration, items: readonly StoredItem[]) {
  const outcome: Outcome = { changed: 0, failures: [] };
  await forEachConcurrently(items, concurrency, async (stored) => {
    try {
      const item = decode(migration.entity, stored);
      if (await migration.apply(runtime.scopeOf(readTenant(stored)), item)) outcome.changed++;
    } catch (error) {
      if (isOutage(error) || isContention(error)) throw error;
      const { PK, SK } = stored;
      log.error('A migration failed on an item', { error, migration: migration.id, key: [PK, SK] });
      outcome.failures.push({ PK, SK, error: String(error).slice(0, 300) });
    }
  });
  return outcome;
}

/** Stores the progress of one page. @returns whether this worker is to go on. */
async function count(
  { scopeOf }: MigrationRuntime,
  { id, failed, failures, ...before }: MigrationProgress,
  { examined, next }: WalkedPage,
  outcome: Outcome,
): Promise<boolean> {
  const { table, now } = scopeOf('');
  const failedNow = failed + outcome.failures.length;
  const end = failedNow > 0 ? 'incomplete' : 'completed';
  const set = {
    state: next ? before.state : end,
    updatedAt: now().toISOString(),
    failures: [...failures, ...outcome.failures].slice(0, failuresMax),
    ...(next && { after: next }),
  } as const;
  const add = { page: 1, examined, changed: outcome.changed, failed: outcome.failures.length };
  const changes = { set, add, ...(!next && { remove: ['after'] as const }) };
  try {
    await table.commit([table.writes.update(progressEntity, { id }, changes, isSamePage(before))]);
    return next !== undefined;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
