import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DeleteIndexCommand, paginateListIndexes, S3VectorsClient } from '@aws-sdk/client-s3vectors';
import {
  DeleteSecretCommand,
  paginateListSecrets,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { requireEnv } from '../../../shared/core/environment.ts';

/** Below the rates that Secrets Manager and S3 Vectors allow. */
const concurrency = 5;

/**
 * A custom resource of CloudFormation. When the stack is deleted, it deletes what the service created at run time: the
 * tenants' secrets, and the vector indexes, without which their bucket cannot be deleted.
 */
export async function handler(event: CloudFormationCustomResourceEvent): Promise<void> {
  const physicalId = 'PhysicalResourceId' in event ? event.PhysicalResourceId : 'teardown';
  try {
    if (event.RequestType === 'Delete' && (await isDeleted(event.StackId)))
      await Promise.all([deleteIndexes(), deleteSecrets()]);
    await respond(event, { Status: 'SUCCESS', PhysicalResourceId: physicalId });
  } catch (error) {
    await respond(event, { Status: 'FAILED', PhysicalResourceId: physicalId, Reason: String(error) });
  }
}

/**
 * Whether the whole stack is deleted, or its failed creation rolled back. CloudFormation also deletes this resource in a
 * stack that stays: when the update that adds it fails, and when a later release removes or renames it.
 */
async function isDeleted(StackName: string): Promise<boolean> {
  const { Stacks = [] } = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName }));
  const endings = ['DELETE_IN_PROGRESS', 'ROLLBACK_IN_PROGRESS'];
  return endings.includes(Stacks[0]?.StackStatus ?? '');
}

async function deleteIndexes(): Promise<void> {
  const client = new S3VectorsClient({});
  const vectorBucketName = requireEnv('VECTOR_BUCKET');
  const names: string[] = [];
  for await (const { indexes = [] } of paginateListIndexes({ client }, { vectorBucketName }))
    names.push(...indexes.flatMap(({ indexName }) => indexName ?? []));
  await forEachConcurrently(names, concurrency, async (indexName) => {
    await client.send(new DeleteIndexCommand({ vectorBucketName, indexName }));
  });
}

/** Without a recovery window: the stack and its table are gone. */
async function deleteSecrets(): Promise<void> {
  const client = new SecretsManagerClient({});
  const prefix = `${requireEnv('SECRETS_PREFIX')}/`;
  const names: string[] = [];
  const Filters = [{ Key: 'name' as const, Values: [prefix] }];
  for await (const { SecretList = [] } of paginateListSecrets(
    { client },
    { Filters, IncludePlannedDeletion: true },
  ))
    names.push(...SecretList.flatMap(({ Name }) => Name ?? []));
  // The filter ignores case.
  const prefixed = names.filter((name) => name.startsWith(prefix));
  await forEachConcurrently(prefixed, concurrency, async (SecretId) => {
    await client.send(new DeleteSecretCommand({ SecretId, ForceDeleteWithoutRecovery: true }));
  });
}

interface Outcome {
  Status: 'SUCCESS' | 'FAILED';
  PhysicalResourceId: string;
  Reason?: string;
}

async function respond(
  { ResponseURL, StackId, RequestId, LogicalResourceId }: CloudFormationCustomResourceEvent,
  outcome: Outcome,
): Promise<void> {
  const body = JSON.stringify({ StackId, RequestId, LogicalResourceId, ...outcome });
  const { ok, status } = await fetch(ResponseURL, { method: 'PUT', body });
  if (!ok) throw new Error(`CloudFormation answered ${status}`);
}
