import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fn, Stack, Stage, Validations } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  ApiDefinition,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import { gatewayResponses } from '../../gateway-responses.ts';
import type { Route } from '../../routes.ts';
import { logGroupFor } from '../conventions/log-groups.ts';
import { apiName, gatewayRoleName, lambdaName, liveAlias } from '../conventions/names.ts';
import { allowOnFunctions } from '../conventions/own-functions.ts';
import { retentionPolicy } from '../conventions/retention.ts';
import type { Settings } from '../conventions/settings.ts';
import { Firewall } from './firewall.ts';
import { gatewayDocument } from './gateway-document.ts';

/** API Gateway: the stage with every route, its logs, and the web ACL in front of it. */
export class ServiceApi extends Construct {
  /** The base URL without a trailing slash: a path is appended to it. */
  readonly url: string;
  readonly rest: SpecRestApi;
  readonly accessLog: LogGroup;
  /** The alias that the domain needs in DNS: its target, and the hosted zone of the target. */
  readonly domainOutputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, settings: Settings, routes: readonly Route[]) {
    super(scope, id);
    this.accessLog = logGroupFor(this, 'access-log', settings);
    this.rest = this.makeRestApi(settings, routes);
    const { region, urlSuffix } = Stack.of(this);
    this.url = `https://${this.rest.restApiId}.execute-api.${region}.${urlSuffix}/${settings.env}`;
    this.keepExecutionLog(settings);
    this.guard(settings);
    this.domainOutputs = this.addDomain(settings);
  }

  /**
   * Routes are deployed after their Lambdas. The document names the Lambdas by text, so that they can know the URL of
   * the API.
   */
  deployAfter(...dependencies: IDependable[]): void {
    this.rest.latestDeployment?.node.addDependency(...dependencies);
  }

  private makeRestApi(settings: Settings, routes: readonly Route[]): SpecRestApi {
    const { requestsPerSecond } = settings;
    const invoker = this.makeInvoker(settings);
    const api = new SpecRestApi(this, 'rest', {
      restApiName: apiName(settings.env),
      apiDefinition: ApiDefinition.fromAsset(this.writeDocument(settings, routes)),
      failOnWarnings: true,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: {
        stageName: settings.env,
        tracingEnabled: true,
        // About 100 USD a month: each of 14 metrics for each method. The service writes its own metrics.
        metricsEnabled: false,
        loggingLevel: MethodLoggingLevel.ERROR,
        throttlingRateLimit: requestsPerSecond,
        throttlingBurstLimit: requestsPerSecond * 2,
        methodOptions: publicThrottles(routes, requestsPerSecond),
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
    });
    // The CDK’s output of the URL ends with a slash: appending a path to it would double the slash.
    api.node.tryRemoveChild('Endpoint');
    Validations.of(api).acknowledge(...acknowledgements);
    // The document names the role by text.
    api.node.addDependency(invoker);
    return api;
  }

  /** The role by which API Gateway invokes the Lambdas. */
  private makeInvoker(settings: Settings): Role {
    // Without `roleFor`: API Gateway does not name the account when it assumes the role of an integration, so with that
    // condition every request fails with a 500. Another account cannot pass this role to an API.
    const invoker = new Role(this, 'gateway-role', {
      roleName: gatewayRoleName(settings.env, Stack.of(this).region),
      // D158
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets API Gateway invoke Lambdas',
    });
    allowOnFunctions(invoker, settings.env, ['lambda:InvokeFunction']);
    return invoker;
  }

  /**
   * Writes the document as an asset: in the template it would take a third of its largest size, and `AWS::Include` takes
   * 450 KB. API Gateway fills in the variables. The name of the asset is a hash of it, so a document that differs makes a new
   * deployment of the API.
   * @returns the path of the file.
   */
  private writeDocument(settings: Settings, routes: readonly Route[]): string {
    const { env, canary, rateLimitPerHour: limitPerHour, corsOrigins } = settings;
    const place = `\${AWS::Region}:\${AWS::AccountId}`;
    const document = gatewayDocument(routes, {
      title: apiName(env),
      uriOf: (id, { streams = false } = {}) => {
        const [since, action] = streams
          ? ['2021-11-15', 'response-streaming-invocations']
          : ['2015-03-31', 'invocations'];
        const lambda = `arn:\${AWS::Partition}:lambda:${place}:function:${lambdaName(id, env)}`;
        const invoked = canary ? `${lambda}:${liveAlias}` : lambda;
        return `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${since}/functions/${invoked}/${action}`;
      },
      credentials: `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${gatewayRoleName(env, `\${AWS::Region}`)}`,
      limitPerHour,
      corsOrigins,
    });
    const path = join(Stage.of(this)?.outdir ?? '.', `${apiName(env)}.openapi.json`);
    writeFileSync(path, JSON.stringify(document));
    return path;
  }

  /** API Gateway would create this log group itself, without retention and outside the stack. */
  private keepExecutionLog(settings: Settings): void {
    const executionLog = new CfnLogGroup(this, 'execution-log', {
      logGroupName: Fn.join('', ['API-Gateway-Execution-Logs_', this.rest.restApiId, '/', settings.env]),
      retentionInDays: settings.logRetentionDays,
    });
    executionLog.applyRemovalPolicy(retentionPolicy(settings));
    this.rest.deploymentStage.node.addDependency(executionLog);
  }

  /** @returns The outputs for its DNS record. */
  private addDomain({ domainName, certificateArn, basePath }: Settings): Record<string, string> {
    if (!domainName || !certificateArn) return {};
    const domain = new DomainName(this, 'domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    domain.addBasePathMapping(this.rest, { stage: this.rest.deploymentStage, ...(basePath && { basePath }) });
    return { DomainTarget: domain.domainNameAliasDomainName, DomainZone: domain.domainNameAliasHostedZoneId };
  }

  private guard({ wafRatePer5Minutes: rate, rateLimitPerHour, forwardedAddressHeader }: Settings): void {
    if (rate === 'off') {
      Validations.of(this.rest).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason: 'A web ACL costs money; the context value wafRatePer5Minutes adds one.',
      });
      return;
    }
    const { stageArn } = this.rest.deploymentStage;
    const refusal = gatewayResponses(rateLimitPerHour).THROTTLED;
    new Firewall(this, 'firewall', {
      stageArn,
      ratePer5Minutes: rate,
      refusal,
      addressHeader: forwardedAddressHeader,
    });
  }
}

/**
 * One JSON object per request. API Gateway escapes the values and writes `-` for missing ones, so all are texts. The
 * path is that of the route: paths of requests contain ids. `tenant`, `kind` and `keyId` come from the authorizer.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    extendedRequestId: AccessLogField.contextExtendedRequestId(),
    traceId: AccessLogField.contextXrayTraceId(),
    time: AccessLogField.contextRequestTime(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    responseType: AccessLogField.contextErrorResponseType(),
    responseBytes: AccessLogField.contextResponseLength(),
    latencyMs: AccessLogField.contextResponseLatency(),
    integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
    integrationStatus: AccessLogField.contextIntegrationStatus(),
    integrationError: '$context.integration.error',
    authorizerLatencyMs: AccessLogField.contextAuthorizerIntegrationLatency(),
    authorizerStatus: AccessLogField.contextAuthorizerIntegrationStatus(),
    authorizerError: AccessLogField.contextAuthorizerError(),
    tenant: AccessLogField.contextAuthorizer('tenant'),
    user: AccessLogField.contextAuthorizerPrincipalId(),
    kind: AccessLogField.contextAuthorizer('kind'),
    keyId: AccessLogField.contextAuthorizer('keyId'),
    waf: AccessLogField.contextWafResponseCode(),
    wafError: AccessLogField.contextWafError(),
    sourceIp: AccessLogField.contextIdentitySourceIp(),
    userAgent: AccessLogField.contextIdentityUserAgent(),
  }),
);

/** Rules of cdk-nag that the API breaks, and why. */
const acknowledgements = [
  {
    id: 'AwsSolutions-APIG2',
    reason:
      'The Lambdas validate every request against the endpoint’s schema and report each error with its path.',
  },
  {
    id: 'AwsSolutions-APIG4',
    reason:
      'Public routes: static files, preflight requests, and the validation of a flow, whose Lambda verifies a credential if one is sent. All other routes have the authorizer.',
  },
  {
    id: 'AwsSolutions-COG4',
    reason:
      'The API accepts API keys and tokens of any OIDC issuer, so the authorizer is a Lambda, not Cognito.',
  },
];

/** The share of the stage's throttle that each public route gets: callers without a credential cost too. */
const publicShare = 0.1;

/** The keys are paths and methods of the stage. */
const publicThrottles = (
  routes: readonly Route[],
  requestsPerSecond: number,
): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    routes
      .filter(({ isPublic, verifiesCredential }) => isPublic && !verifiesCredential)
      .map(({ path, method }) => [
        `${path}/${method}`,
        {
          throttlingRateLimit: requestsPerSecond * publicShare,
          throttlingBurstLimit: requestsPerSecond * publicShare * 2,
          loggingLevel: MethodLoggingLevel.ERROR,
          metricsEnabled: false,
        },
      ]),
  );
