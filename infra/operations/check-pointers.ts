import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { findDeployment } from './deployment/deployment.ts';
import { OperationError, parseOptions, printNote, runOperation } from './deployment/operation.ts';
import { checkTable, tableProblems } from './restore/check-table.ts';
import { recoverObject } from './restore/recover-object.ts';

const usage = `npm run check-pointers -- -c env=prod [--table restored-table] [--recover]
Checks that every payload and every credential that a table names exists, by default the table of the deployment. Reads
the whole table and every payload. --recover brings deleted payloads back; without it, nothing changes.`;

/** Checks a table of a deployment against its payload bucket, and prints the result as JSON. */
async function checkPointers(): Promise<void> {
  const { env, options } = parseOptions(usage, ['table'], ['recover']);
  const { region, tableName, payloadBucket } = await findDeployment(env);
  await useCredentials(region, payloadBucket);
  const table = options.table ?? tableName;
  printNote(`Checking ${table} against ${payloadBucket} in ${region}`);
  const check = await checkTable(table, options.recover ? recoverObject : undefined);
  process.stdout.write(`${JSON.stringify(check, undefined, 2)}\n`);
  const problems = tableProblems(check);
  const advice = options.recover ? 'S3 has no version of the missing objects any more.' : 'Try --recover.';
  if (problems.length > 0) throw new OperationError(`${problems.join('; ')}. ${advice}`);
  printNote(`All ${check.pointers} payloads and ${check.keys} API keys that the table names are there.`);
}

/** The requests to S3 are signed with the credentials that a Lambda has in its environment. */
async function useCredentials(region: string, bucket: string): Promise<void> {
  const { accessKeyId, secretAccessKey, sessionToken } = await new DynamoDBClient({}).config.credentials();
  Object.assign(process.env, {
    AWS_REGION: region,
    PAYLOAD_BUCKET: bucket,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
  });
}

await runOperation(checkPointers);
