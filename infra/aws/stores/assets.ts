import { Duration, Validations } from 'aws-cdk-lib';
import { Distribution, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Bucket, type IBucket, StorageClass } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Settings } from '../conventions/settings.ts';
import { dataBucket } from './buckets.ts';

/** The files that flows create, in a private bucket. With CloudFront, those under `public/` have lasting addresses. */
export class Assets extends Construct {
  readonly bucket: Bucket;
  /** The base URL of public files, if CloudFront serves them. */
  readonly publicUrl: string | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.bucket = dataBucket(
      this,
      'bucket',
      settings,
      'Only the service’s roles and CloudFront have access, and X-Ray traces the roles’ calls.',
    );
    // Files are kept, but most are read only soon after they were made.
    this.bucket.addLifecycleRule({
      transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
    });
    if (!settings.cloudFront) return;
    this.bucket.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        actions: ['s3:GetObject'],
        resources: [this.bucket.arnForObjects('private/*')],
      }),
    );
    this.publicUrl = `https://${this.distribute(this.bucket).distributionDomainName}`;
  }

  private distribute(bucket: Bucket) {
    const distribution = new Distribution(this, 'distribution', {
      comment: 'Public files of flows',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket, { originPath: '/public' }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        responseHeadersPolicy: ResponseHeadersPolicy.SECURITY_HEADERS,
      },
    });
    Validations.of(distribution).acknowledge(
      {
        id: 'AwsSolutions-CFR1',
        reason: 'The operator decides on geographic restrictions.',
      },
      {
        id: 'AwsSolutions-CFR2',
        reason: 'The distribution serves static files, which take no input. A web ACL costs extra.',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'The files are public. Access logs would be personal data without a use.',
      },
      {
        id: 'AwsSolutions-CFR4',
        reason: 'A minimum TLS version requires a custom domain and certificate.',
      },
    );
    return distribution;
  }
}
