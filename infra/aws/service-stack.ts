import { ArnFormat, CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { gatewayResponses } from '../gateway-responses.ts';
import { routes } from '../routes.ts';
import type { Bundles } from './bundles.ts';
import type { Environment } from './environments.ts';
import { Firewall, firewallRate } from './firewall.ts';
import { Functions, functionNamePrefix } from './functions.ts';
import { gatewayDocument } from './gateway-document.ts';
import { acknowledgeWildcard } from './grants.ts';
import { Identity } from './identity.ts';
import { Stores } from './stores.ts';

export interface ServiceStackProps {
  environment: Environment;
  bundles: Bundles;
}

/** One deployment of the service. */
export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { environment, bundles }: ServiceStackProps) {
    super(scope, id, { terminationProtection: environment.keepsData });
    const limits = {
      perHour: Number(this.node.tryGetContext('rateLimitPerHour') ?? 1_000),
      perDay: Number(this.node.tryGetContext('rateLimitPerDay') ?? 10_000),
    };
    const stores = new Stores(this, 'stores', environment);
    const identity = new Identity(this, 'identity', environment);
    const publicUrl = this.node.tryGetContext('publicUrl');
    const functions = new Functions(this, 'functions', {
      ...{ environment, bundles, stores, identity, limits, publicUrl },
    });
    const api = this.makeApi(environment, functions, limits.perHour);
    new CfnOutput(this, 'Url', { value: api.url });
    new CfnOutput(this, 'OidcIssuer', { value: identity.issuer });
    new CfnOutput(this, 'OidcAudience', { value: identity.audience });
    new CfnOutput(this, 'ProviderKeysSecret', { value: stores.providerKeys.secretName });
  }

  private makeApi(environment: Environment, { byId }: Functions, limitPerHour: number) {
    const invoker = new Role(this, 'gateway-role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    // One wildcard statement: a list of a hundred functions exceeds the size of a policy.
    const invocable = this.formatArn({
      service: 'lambda',
      resource: 'function',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      resourceName: `${functionNamePrefix(environment)}*`,
    });
    invoker.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [invocable] }));
    const { partition, region } = this;
    const uriOf = (id: string, { streams = false } = {}) => {
      const [since, action] = streams
        ? ['2021-11-15', 'response-streaming-invocations']
        : ['2015-03-31', 'invocations'];
      return `arn:${partition}:apigateway:${region}:lambda:path/${since}/functions/${byId[id]?.functionArn}/${action}`;
    };
    const accessLog = new LogGroup(this, 'access-log', {
      retention: environment.logRetentionDays as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const document = gatewayDocument(routes, { uriOf, credentials: invoker.roleArn, limitPerHour });
    const api = new SpecRestApi(this, 'api', {
      apiDefinition: ApiDefinition.fromInline(document),
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: true,
      deployOptions: {
        stageName: environment.name,
        tracingEnabled: true,
        metricsEnabled: true,
        loggingLevel: MethodLoggingLevel.ERROR,
        throttlingRateLimit: environment.requestsPerSecond,
        throttlingBurstLimit: environment.requestsPerSecond * 2,
        accessLogDestination: new LogGroupLogDestination(accessLog),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
    });
    Validations.of(api).acknowledge(
      {
        id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        reason: 'AWS’s managed policy for API Gateway’s logs.',
      },
      {
        id: 'AwsSolutions-APIG2',
        reason:
          'The Lambdas validate every request against the endpoint’s schema and report each error with its path.',
      },
      {
        id: 'AwsSolutions-APIG4',
        reason:
          'Public routes: static files, and the validation of a flow, whose Lambda verifies a credential if one is sent. All other routes have the authorizer.',
      },
      {
        id: 'AwsSolutions-COG4',
        reason:
          'The API accepts API keys and tokens of any OIDC issuer, so the authorizer is a Lambda, not Cognito.',
      },
    );
    this.guard(api, limitPerHour);
    acknowledgeWildcard(
      invoker,
      `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${functionNamePrefix(environment)}*`,
      'The prefix belongs to this deployment.',
    );
    return api;
  }

  /** Adds a web ACL to the stage if the context configures one. */
  private guard(api: SpecRestApi, limitPerHour: number) {
    const ratePer5Minutes = firewallRate(this);
    if (ratePer5Minutes === undefined) {
      Validations.of(api).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason: 'A web ACL costs money; the context value wafRatePer5Minutes adds one.',
      });
      return;
    }
    const { stageArn } = api.deploymentStage;
    const refusal = gatewayResponses(limitPerHour).THROTTLED;
    new Firewall(this, 'firewall', { stageArn, ratePer5Minutes, refusal });
  }
}
