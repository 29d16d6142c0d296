import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { sharedPartition } from '../data/keys.ts';
import type { TenantTable } from '../data/table.ts';

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
export const failuresMax = 20;

export const createMigrationRound = (id: string, round: number, at: string): MigrationProgress => ({
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
export const isSamePage = ({ round, page }: Pick<MigrationProgress, 'round' | 'page'>) => ({
  // Not `:page`: updates use that name.
  expression: '#round = :seenRound AND #page = :seenPage',
  values: { seenRound: round, seenPage: page },
});
