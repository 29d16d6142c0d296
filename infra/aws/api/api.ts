import { Fn, Stack, Validations } from 'aws-cdk-lib';
import {
  ApiDefinition,
  DomainName,
  EndpointType,
  LogGroupLogDestination,
  MethodLoggingLevel,
  SecurityPolicy,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct, type IDependable } from 'constructs';
import { gatewayResponses } from '../../gateway-responses.ts';
import { routes } from '../../routes.ts';
import { logGroupFor } from '../conventions/log-groups.ts';
import { apiName, lambdaName, liveAlias } from '../conventions/names.ts';
import { allowOnFunctions } from '../conventions/own-functions.ts';
import { retentionPolicy } from '../conventions/retention.ts';
import type { Settings } from '../conventions/settings.ts';
import { accessLogFormat } from './access-log.ts';
import { acknowledgements } from './api-acknowledgements.ts';
import { Firewall } from './firewall.ts';
import { gatewayDocument } from './gateway-document.ts';
import { publicThrottles } from './public-throttles.ts';

/** API Gateway: the stage with every route, its logs, and the web ACL in front of it. */
export class ServiceApi extends Construct {
  /** The base URL without a trailing slash: a path is appended to it. */
  readonly url: string;
  readonly rest: SpecRestApi;
  readonly accessLog: LogGroup;
  /** The alias that the domain needs in DNS: its target, and the hosted zone of the target. */
  readonly domainOutputs: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.accessLog = logGroupFor(this, 'access-log', settings);
    this.rest = this.makeRestApi(settings);
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
  deployAfter(dependency: IDependable): void {
    this.rest.latestDeployment?.node.addDependency(dependency);
  }

  private makeRestApi(settings: Settings): SpecRestApi {
    const { requestsPerSecond } = settings;
    const api = new SpecRestApi(this, 'rest', {
      restApiName: apiName(settings.env),
      apiDefinition: ApiDefinition.fromInline(this.document(settings)),
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
        methodOptions: publicThrottles(requestsPerSecond),
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
      },
    });
    // The CDK’s output of the URL ends with a slash: appending a path to it would double the slash.
    api.node.tryRemoveChild('Endpoint');
    Validations.of(api).acknowledge(...acknowledgements);
    return api;
  }

  private document(settings: Settings) {
    // Without `roleFor`: API Gateway does not name the account when it assumes the role of an integration, so with that
    // condition every request fails with a 500. Another account cannot pass this role to an API.
    const assumedBy = new ServicePrincipal('apigateway.amazonaws.com');
    const invoker = new Role(this, 'invoker', { assumedBy, description: 'Lets API Gateway invoke Lambdas' });
    allowOnFunctions(invoker, settings.env, ['lambda:InvokeFunction']);
    return gatewayDocument(routes, {
      title: apiName(settings.env),
      uriOf: (id, { streams = false } = {}) => {
        const [since, action] = streams
          ? ['2021-11-15', 'response-streaming-invocations']
          : ['2015-03-31', 'invocations'];
        const alias = settings.canary ? `:${liveAlias}` : '';
        const name = lambdaName(id, settings.env) + alias;
        // As one text with variables: joined parts would take 30 KB of the template.
        return Fn.sub(
          `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/${since}/functions/arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}/${action}`,
        );
      },
      credentials: invoker.roleArn,
      limitPerHour: settings.rateLimitPerHour,
      corsOrigins: settings.corsOrigins,
    });
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
