import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Distribution, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** The files that flows make: in a bucket that nobody reaches, of which CloudFront serves what lies under `public/`. */
export class Assets extends Construct {
  readonly bucket: Bucket;
  readonly publicUrl: string;

  constructor(scope: Construct, id: string, removalPolicy: RemovalPolicy) {
    super(scope, id);
    this.bucket = this.makeBucket(removalPolicy);
    const distribution = this.distribute(this.bucket);
    this.publicUrl = `https://${distribution.distributionDomainName}`;
  }

  private makeBucket(removalPolicy: RemovalPolicy) {
    const bucket = new Bucket(this, 'bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy,
    });
    bucket.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new ServicePrincipal('cloudfront.amazonaws.com')],
        actions: ['s3:GetObject'],
        resources: [bucket.arnForObjects('private/*')],
      }),
    );
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Only the service’s own roles and CloudFront reach it, and the roles’ calls are traced.',
    });
    return bucket;
  }

  private distribute(bucket: Bucket) {
    const distribution = new Distribution(this, 'distribution', {
      comment: 'Public files that flows made',
      defaultBehavior: {
        origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket, { originPath: '/public' }),
        viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
        responseHeadersPolicy: ResponseHeadersPolicy.SECURITY_HEADERS,
      },
    });
    Validations.of(distribution).acknowledge(
      {
        id: 'AwsSolutions-CFR1',
        reason: 'Where public files may be read is the operator’s to restrict.',
      },
      {
        id: 'AwsSolutions-CFR2',
        reason: 'Files of a bucket, which take no input. A web ACL has a price of its own.',
      },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'Anybody may read these files. Logs of who did would be personal data that nobody needs.',
      },
      {
        id: 'AwsSolutions-CFR4',
        reason: 'The lowest TLS version is a property of a certificate of one’s own, which takes a domain.',
      },
    );
    return distribution;
  }
}
