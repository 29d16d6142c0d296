import type { CfnElement } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors';
import { acknowledgeWildcard, allowActions, shownReference } from '../conventions/statements.ts';
import type { Assets } from '../stores/assets.ts';

/** A presigned URL carries the right to read. */
export function grantAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject', 's3:PutObject'], [bucket.arnForObjects('*')]);
  const shown = shownReference(role, bucket.node.defaultChild as CfnElement, 'Arn');
  acknowledgeWildcard(role, `${shown}/*`, 'Every object in the bucket is a file of a flow.');
}

/** Allows signing URLs of public files. */
export function grantPublicAssets(role: Role, { bucket }: Assets): void {
  allowActions(role, ['s3:GetObject'], [bucket.arnForObjects('public/*')]);
  const shown = shownReference(role, bucket.node.defaultChild as CfnElement, 'Arn');
  acknowledgeWildcard(role, `${shown}/public/*`, 'Everybody may read these files.');
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
  const shown = shownReference(role, vectors, 'VectorBucketArn');
  acknowledgeWildcard(role, `${shown}/index/*`, 'Every index is a collection of a tenant.');
}
