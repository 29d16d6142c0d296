import type { SQSEvent } from 'aws-lambda';
import { migrations } from '../../shared/execution/migrations.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { tableWalk } from '../../shared/platform/data/walk.ts';
import {
  MigrationMessage,
  type MigrationProgress,
  migrationStarter,
  readProgress,
  request,
  runMigration,
} from '../../shared/platform/run-migration.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(tableWalk, migrationStarter, ...migrations);

/** From operators (`npm run migrate`), and from the embedded stack at its start. */
export interface MigrateCommand {
  /** `false` only asks for the state. */
  start: boolean;
  /** Whether to start what is completed, too. */
  again?: boolean;
}

export type MigrationState = MigrationProgress | { id: string; state: 'not started' };

/**
 * Works through the next pages of a migration, and requests those after. Invoked by an operator, it starts the
 * migrations and returns the state of each.
 */
async function handle(event: SQSEvent | MigrateCommand): Promise<MigrationState[] | undefined> {
  if (!('Records' in event)) return command(event);
  for (const { message } of parseMessages(MigrationMessage, event)) {
    const migration = migrations.find(({ id }) => id === message.id);
    // Another release may have a migration that this one has not.
    if (!migration) continue;
    const more = await runMigration({ ...productionRuntime(), walk: tableWalk() }, migration);
    if (more) await request(migration.id);
  }
}

async function command({ start, again = false }: MigrateCommand): Promise<MigrationState[]> {
  const scope = productionRuntime().scopeOf('');
  if (start) await migrationStarter(scope).start(migrations, again);
  return Promise.all(
    migrations.map(async ({ id }) => (await readProgress(scope.table, id)) ?? { id, state: 'not started' }),
  );
}

export const handler = toWorker('migrate', handle);
