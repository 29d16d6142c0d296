import { Aws, Duration, Stack } from 'aws-cdk-lib';
import {
  AccountRecovery,
  type CfnUserPool,
  ClientAttributes,
  FeaturePlan,
  LambdaVersion,
  Mfa,
  OAuthScope,
  StandardThreatProtectionMode,
  StringAttribute,
  UserPool,
  type UserPoolClient,
  UserPoolOperation,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { apiName } from '../conventions/names.ts';
import { protectedRetentionPolicy } from '../conventions/retention.ts';
import type { Settings } from '../conventions/settings.ts';
import type { Functions } from './functions.ts';

/** The issuer of session tokens: a Cognito user pool, or the issuer from the settings. */
export class Identity extends Construct {
  readonly issuer: string;
  readonly audience: string;
  /** The OAuth client of the console. Absent if another issuer has none. */
  readonly consoleClientId: string | undefined;
  /** The origins of the token endpoint, which the page of the console calls. */
  readonly signInOrigins: readonly string[];
  /** Absent with another issuer. */
  readonly pool: UserPool | undefined;

  /** @param publicUrl The base URL by which people reach the API, and below it the console. */
  constructor(scope: Construct, id: string, settings: Settings, publicUrl: string) {
    super(scope, id);
    const { oidcIssuer, oidcAudience, consoleClientId, signInOrigins } = settings;
    if (oidcIssuer && oidcAudience) {
      this.issuer = oidcIssuer;
      this.audience = oidcAudience;
      this.consoleClientId = consoleClientId;
      // D88
      this.signInOrigins = [...new Set([new URL(oidcIssuer).origin, ...signInOrigins])];
      return;
    }
    this.pool = this.makePool(settings);
    const client = this.addClient(this.pool, `${publicUrl}/console`);
    this.issuer = this.pool.userPoolProviderUrl;
    this.audience = client.userPoolClientId;
    this.consoleClientId = client.userPoolClientId;
    // A prefix is unique among all accounts of a region.
    const domainPrefix = `${apiName(settings.env)}-${Aws.ACCOUNT_ID}`;
    this.signInOrigins = [this.pool.addDomain('sign-in', { cognitoDomain: { domainPrefix } }).baseUrl()];
  }

  private makePool(settings: Settings): UserPool {
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
      deletionProtection: settings.keepsData,
      removalPolicy: protectedRetentionPolicy(settings),
    });
    sendFrom(pool, settings);
    return pool;
  }

  /** A client without a secret, for the console and for other applications of the operator. */
  private addClient(pool: UserPool, consoleUrl: string): UserPoolClient {
    return pool.addClient('dashboard', {
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [consoleUrl],
        logoutUrls: [consoleUrl],
      },
      refreshTokenValidity: Duration.days(1),
      // Two tabs of a browser may use a refresh token at the same time.
      refreshTokenRotationGracePeriod: Duration.seconds(10),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
      // Excludes the organization: a user who could write it could join any organization.
      writeAttributes: new ClientAttributes().withStandardAttributes({ email: true, fullname: true }),
    });
  }

  /** Has the pool put the organization into access tokens too, which lack a user's attributes. */
  addTriggers({ tokenTrigger }: Functions): void {
    if (!tokenTrigger) return;
    this.pool?.addTrigger(UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG, tokenTrigger, LambdaVersion.V2_0);
  }
}

/** Cognito's own sender sends 50 emails a day. The CDK's property needs to know the region when it synthesises. */
function sendFrom(pool: UserPool, { userEmailSender: from, userEmailIdentity }: Settings): void {
  if (!from) return;
  const resourceName = userEmailIdentity ?? from;
  const sourceArn = Stack.of(pool).formatArn({ service: 'ses', resource: 'identity', resourceName });
  const resource = pool.node.defaultChild as CfnUserPool;
  resource.emailConfiguration = { emailSendingAccount: 'DEVELOPER', from, sourceArn };
}
