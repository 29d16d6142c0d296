import { type RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Distribution, ResponseHeadersPolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** The files that flows create, in a private bucket. CloudFront serves those under `public/`. */
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
      reason: 'Only the service’s roles and CloudFront have access, and X-Ray traces the roles’ calls.',
    });
    return bucket;
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
