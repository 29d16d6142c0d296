import { type CfnElement, Stack } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors';
import { acknowledgeWildcard, allowActions } from '../conventions/statements.ts';
import type { Assets } from '../stores/assets.ts';

/** A presigned URL carries the right to read. */
export function grantAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject', 's3:PutObject'], [bucket.arnForObjects('*')]);
  const bucketId = Stack.of(role).getLogicalId(bucket.node.defaultChild as CfnElement);
  acknowledgeWildcard(role, `<${bucketId}.Arn>/*`, 'Every object in the bucket is a file of a flow.');
}

/** Allows signing URLs of public files. */
export function grantPublicAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject'], [bucket.arnForObjects('public/*')]);
  const bucketId = Stack.of(role).getLogicalId(bucket.node.defaultChild as CfnElement);
  acknowledgeWildcard(role, `<${bucketId}.Arn>/public/*`, 'Everybody may read these files.');
}

export const grantVectors = (role: Role, vectors: CfnVectorBucket) =>
  allowOnIndexes(role, vectors, [
    'CreateIndex',
    'GetIndex',
    'PutVectors',
    'QueryVectors',
    'GetVectors',
    'DeleteVectors',
  ]);

/** Allows checking whether a collection exists, without access to its contents. */
export const grantVectorIndexLookup = (role: Role, vectors: CfnVectorBucket) =>
  allowOnIndexes(role, vectors, ['GetIndex']);

function allowOnIndexes(role: Role, vectors: CfnVectorBucket, actions: readonly string[]): void {
  const indexes = `${vectors.attrVectorBucketArn}/index/*`;
  allowActions(
    role,
    actions.map((action) => `s3vectors:${action}`),
    [indexes],
  );
  const bucketId = Stack.of(role).getLogicalId(vectors);
  acknowledgeWildcard(
    role,
    `<${bucketId}.VectorBucketArn>/index/*`,
    'Every index is a collection of a tenant.',
  );
}
