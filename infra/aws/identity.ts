import {
  AccountRecovery,
  ClientAttributes,
  FeaturePlan,
  LambdaVersion,
  Mfa,
  StandardThreatProtectionMode,
  StringAttribute,
  UserPool,
  UserPoolOperation,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { preTokenGeneration } from './entries.ts';
import type { Functions } from './functions.ts';
import { protectedRetentionOf } from './retention.ts';
import type { Settings } from './settings.ts';

/** The issuer of session tokens: a Cognito user pool, or the issuer from the settings. */
export class Identity extends Construct {
  readonly issuer: string;
  readonly audience: string;
  /** Absent with another issuer. */
  readonly pool: UserPool | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { oidcIssuer, oidcAudience, keepsData } = settings;
    if (oidcIssuer && oidcAudience) {
      this.issuer = oidcIssuer;
      this.audience = oidcAudience;
      return;
    }
    const pool = new UserPool(this, 'users', {
      signInAliases: { email: true },
      selfSignUpEnabled: false,
      accountRecovery: AccountRecovery.EMAIL_ONLY,
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
      removalPolicy: protectedRetentionOf(settings),
    });
    const client = pool.addClient('dashboard', {
      authFlows: { userSrp: true },
      // The CDK would add OAuth flows with the callback https://example.com.
      disableOAuth: true,
      preventUserExistenceErrors: true,
      // Excludes the organization: a user who could write it could join any organization.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true, fullname: true }),
    });
    this.pool = pool;
    this.issuer = pool.userPoolProviderUrl;
    this.audience = client.userPoolClientId;
  }

  /** Has the pool put the organization into access tokens too, which lack a user's attributes. */
  addTriggers({ byId }: Functions): void {
    const trigger = byId[preTokenGeneration];
    if (!trigger) return;
    this.pool?.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, trigger, LambdaVersion.V2_0);
  }
}
