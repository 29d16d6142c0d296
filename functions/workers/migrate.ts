import type { SQSEvent } from 'aws-lambda';
import { migrations } from '../../shared/execution/migrations.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { tableWalk } from '../../shared/platform/data/walk.ts';
import { runMigration } from '../../shared/platform/migrations/run-migration.ts';
import { MigrationMessage, request } from '../../shared/platform/migrations/start-migrations.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf(tableWalk, 'table:write', 'queue:migrations', ...migrations);

/** Works through the next pages of a migration, and requests those after. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(MigrationMessage, event)) {
    const migration = migrations.find(({ id }) => id === message.id);
    // A migration that a later release removed.
    if (!migration) continue;
    const more = await runMigration({ ...productionRuntime(), walk: tableWalk() }, migration);
    if (more) await request(migration.id);
  }
}
