import * as z from 'zod';
import { sendMessage } from '../aws/queues.ts';
import { using } from '../aws/uses.ts';
import { ConditionFailed } from '../data/condition-failed.ts';
import type { Scope } from '../data/scope.ts';
import { absent } from '../data/writes.ts';
import type { Migration } from './migration.ts';
import { createMigrationRound, isSamePage, progressEntity, readProgress } from './progress.ts';

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
