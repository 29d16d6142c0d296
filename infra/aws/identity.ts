import { RemovalPolicy } from 'aws-cdk-lib';
import {
  ClientAttributes,
  FeaturePlan,
  Mfa,
  StandardThreatProtectionMode,
  StringAttribute,
  UserPool,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Environment } from './environments.ts';

/** The issuer of session tokens: a Cognito user pool, or the issuer from the context. */
export class Identity extends Construct {
  readonly issuer: string;
  readonly audience: string;

  constructor(scope: Construct, id: string, { keepsData }: Environment) {
    super(scope, id);
    const issuer: unknown = this.node.tryGetContext('oidcIssuer');
    const audience: unknown = this.node.tryGetContext('oidcAudience');
    if (typeof issuer === 'string' && typeof audience === 'string') {
      this.issuer = issuer;
      this.audience = audience;
      return;
    }
    const pool = new UserPool(this, 'users', {
      signInAliases: { email: true },
      selfSignUpEnabled: false,
      // Becomes the claim custom:organizationId.
      customAttributes: { organizationId: new StringAttribute({ maxLen: 255, mutable: true }) },
      mfa: Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireDigits: true,
        requireLowercase: true,
        requireUppercase: true,
        requireSymbols: true,
      },
      featurePlan: FeaturePlan.PLUS,
      standardThreatProtectionMode: StandardThreatProtectionMode.FULL_FUNCTION,
      deletionProtection: keepsData,
      removalPolicy: keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const client = pool.addClient('dashboard', {
      authFlows: { userSrp: true },
      preventUserExistenceErrors: true,
      // Excludes the organization: a user who could write it could join any organization.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true, fullname: true }),
    });
    this.issuer = pool.userPoolProviderUrl;
    this.audience = client.userPoolClientId;
  }
}
