import { Duration, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { unfinishedUploadDays } from '../../resources.ts';
import { retentionPolicy } from '../conventions/retention.ts';
import type { Settings } from '../conventions/settings.ts';

/** As long as point-in-time recovery of the table, so that a restored table finds its objects. */
const recoveryDays = 35;

/**
 * A private bucket for data of tenants. Overwritten and deleted objects can be recovered for {@link recoveryDays}.
 * @param noLogs Why the bucket needs no access log.
 */
export function dataBucket(scope: Construct, id: string, settings: Settings, noLogs: string): Bucket {
  const bucket = new Bucket(scope, id, {
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    enforceSSL: true,
    versioned: true,
    removalPolicy: retentionPolicy(settings),
    autoDeleteObjects: !settings.keepsData,
    lifecycleRules: [
      {
        abortIncompleteMultipartUploadAfter: Duration.days(unfinishedUploadDays),
        noncurrentVersionExpiration: Duration.days(recoveryDays),
        expiredObjectDeleteMarker: true,
      },
    ],
  });
  Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: noLogs });
  return bucket;
}
