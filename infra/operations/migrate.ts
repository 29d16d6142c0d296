import type { MigrateCommand, MigrationState } from '../../functions/workers/migrate.ts';
import { stackName } from '../aws/conventions/names.ts';
import type { EnvironmentName } from '../environments.ts';
import { OperationError, parseOptions, printNote, runOperation } from './deployment/operation.ts';
import { classicIndexes, enhanceIndexes, vectorBucketIn } from './deployment/vector-indexes.ts';
import { listStackResources } from './doctor/resources.ts';
import { invokeLambda } from './invoke-lambda.ts';

const usage = `npm run migrate -- -c env=dev [--status] [--again]
Starts the migrations that are not completed. --status changes nothing; --again starts the completed ones, too.`;

const nextStep = (env: EnvironmentName): Record<MigrationState['state'], string> => ({
  'not started': `Start it: npm run migrate -- -c env=${env}`,
  running: `See how far it is: npm run migrate -- -c env=${env} --status`,
  stopped: `Its messages failed; the log says why. Continue it: npm run migrate -- -c env=${env}`,
  incomplete: `It failed on the items above. Visit all again: npm run migrate -- -c env=${env}`,
  completed: 'There is nothing to do.',
});

/** Starts the migrations of a deployment, and prints the state of each as JSON. */
async function migrate(): Promise<void> {
  const { env, options } = parseOptions(usage, [], ['status', 'again']);
  const event: MigrateCommand = { start: !options.status, again: options.again ?? false };
  const result = await invokeLambda(env, 'workers.migrate', event);
  if (!Array.isArray(result)) throw new OperationError(`The migrations failed: ${result?.errorMessage}`);
  for (const migration of result as MigrationState[]) {
    process.stdout.write(`${JSON.stringify(migration, undefined, 2)}\n`);
    printNote(`${migration.id} is ${migration.state}. ${nextStep(env)[migration.state]}`);
  }
  if (!options.status) await updateVectorIndexes(env);
}

/** Those of vector buckets from before 30 September 2026. */
async function updateVectorIndexes(env: EnvironmentName): Promise<void> {
  const bucket = vectorBucketIn(await listStackResources(stackName(env)));
  if (!bucket) return;
  const classic = await classicIndexes(bucket);
  if (classic.length === 0) return;
  await enhanceIndexes(bucket, classic);
  printNote(`${classic.length} indexes of vectors apply filters before the search from now on.`);
}

await runOperation(migrate);
