/**
 * Migrations of the table: how one is declared and started, its progress, and the run of one portion of it.
 * A portion walks the table from where the last page ended, applies the migration to each item, and stores the progress after
 * each page.
 * Called by the worker for each message of the queue (`functions/workers/migrate.ts`), which sends the next one while there is
 * more. Two workers on the same page are told apart by the number of the page: the slower one stops. A worker that dies leaves
 * its page to be repeated, so a migration must be repeatable. An item that fails is recorded and skipped; an outage fails the
 * whole message, which comes back.
 */
import * as z from 'zod';
import { forEachConcurrently } from '../core/concurrency/map-concurrently.ts';
import { log } from '../core/log.ts';
import { sendMessage } from './aws/queues.ts';
import { type Use, using } from './aws/uses.ts';
import { ConditionFailed, isContention, isOutage } from './data/condition-failed.ts';
import { type AnyEntity, decode, defineEntity, type ItemOf } from './data/entity.ts';
import { readTenant, sharedPartition } from './data/keys.ts';
import type { QueryOptions } from './data/query.ts';
import type { Scope } from './data/scope.ts';
import type { StoredItem, TenantTable } from './data/table.ts';
import type { WalkedPage, WalkTable } from './data/walk.ts';
import { absent } from './data/writes.ts';

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

/** A back-fill of stored data: what every stored item of one kind needs once. docs/migrations.md has the rules. */
export interface Migration<E extends AnyEntity = AnyEntity> {
  /** Its number and its name, `1-test-key-values`. Never changed, because its progress is stored under it. */
  id: string;
  entity: E;
  filter?: NonNullable<QueryOptions['filter']>;
  uses: readonly Use[];
  /** Idempotent, also while another process does the same. @returns whether there was anything to do. */
  apply: (scope: Scope, item: ItemOf<E>) => Promise<boolean>;
}

export const defineMigration = <E extends AnyEntity>(migration: Migration<E>) => migration as Migration;

const Position = z.object({ PK: z.string(), SK: z.string() });

export const MigrationProgress = z.object({
  id: z.string(),
  /**
   * `running`: a message continues it. `stopped`: its messages failed; a start continues it where it stopped.
   * `incomplete`: it visited everything, but failed on some items; a start begins another round.
   */
  state: z.enum(['running', 'stopped', 'incomplete', 'completed']),
  /** 1 the first time that it visits everything, and so on. */
  round: z.int(),
  /** The number of pages of this round. Each increments it, so that of two workers on one page only one counts. */
  page: z.int(),
  /** Where the last page of this round ended. */
  after: Position.optional(),
  /** Items of every kind that the walk read. */
  examined: z.int(),
  changed: z.int(),
  failed: z.int(),
  /** The first items of this round that failed. */
  failures: z.array(Position.extend({ error: z.string() })),
  startedAt: z.string(),
  updatedAt: z.string(),
});
export type MigrationProgress = z.infer<typeof MigrationProgress>;

export const progressEntity = defineEntity({
  type: 'migration',
  schema: MigrationProgress,
  key: ({ id }: { id: string }) => ({ PK: sharedPartition('MIGRATIONS'), SK: id }),
});

/** The stored progress; `undefined` before the first start. */
export const readProgress = (table: TenantTable, id: string): Promise<MigrationProgress | undefined> =>
  table.get(progressEntity, { id }, { consistent: true });

/** At most so many failures are listed; the log has all. */
const failuresMax = 20;

const createMigrationRound = (id: string, round: number, at: string): MigrationProgress => ({
  id,
  state: 'running',
  round,
  page: 0,
  startedAt: at,
  updatedAt: at,
  examined: 0,
  changed: 0,
  failed: 0,
  failures: [],
});

/** Holds if no other worker counted this page, and no other round began. */
const isSamePage = ({ round, page }: Pick<MigrationProgress, 'round' | 'page'>) => ({
  // Not `:page`: updates use that name.
  expression: '#round = :seenRound AND #page = :seenPage',
  values: { seenRound: round, seenPage: page },
});

export const MigrationMessage = z.object({ id: z.string() });

type Named = Pick<Migration, 'id'>;

export const migrationStarter = /* @__PURE__ */ using(
  ['table:write', 'queue:migrations'],
  ({ table, now }: Pick<Scope, 'table' | 'now'>) => {
    /** @returns whether the migration has to go on. */
    async function begin(id: string, again: boolean): Promise<boolean> {
      const progress = await readProgress(table, id);
      if (progress?.state === 'running') return true;
      if (progress?.state === 'completed' && !again) return false;
      const next =
        progress?.state === 'stopped'
          ? { ...progress, state: 'running' as const, updatedAt: now().toISOString() }
          : createMigrationRound(id, (progress?.round ?? 0) + 1, now().toISOString());
      await table.commit([table.writes.put(progressEntity, next, progress ? isSamePage(progress) : absent)]);
      return true;
    }

    return {
      /** Also continues what runs, since its message may be lost. @param again Also starts what is completed. */
      async start(migrations: readonly Named[], again = false): Promise<void> {
        for (const { id } of migrations) {
          const goesOn = await begin(id, again).catch(ignoreConflict);
          if (goesOn) await request(id);
        }
      },
    };
  },
);

export const request = (id: string) =>
  sendMessage('MIGRATIONS_QUEUE_URL', { id } satisfies z.infer<typeof MigrationMessage>);

/** Another process started it at the same moment, and requests its pages. */
function ignoreConflict(error: unknown): false {
  if (error instanceof ConditionFailed) return false;
  throw error;
}
