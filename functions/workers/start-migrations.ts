import { migrations } from '../../shared/execution/migrations.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { type Progress, progressOf } from '../../shared/platform/migrations/progress.ts';
import { migrationStarter } from '../../shared/platform/migrations/start-migrations.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf(migrationStarter);

export interface StartMigrations {
  /** `false` changes nothing. */
  start: boolean;
  /** Whether to start what is completed, too. */
  again?: boolean;
}

export type MigrationState = Pick<Progress, 'id'> & (Progress | { state: 'not started' });

/** For operators (`npm run migrate`), and for the start of the embedded stack. @returns the state of each migration. */
export async function handler({ start, again = false }: StartMigrations): Promise<MigrationState[]> {
  const scope = productionRuntime().scopeOf('');
  if (start) await migrationStarter(scope).start(migrations, again);
  return Promise.all(
    migrations.map(
      async ({ id }) => (await progressOf(scope.table, id)) ?? { id, state: 'not started' as const },
    ),
  );
}
