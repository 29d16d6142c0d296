import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { refusedMethods } from '../../../infra/refused-methods.ts';
import { queues, recursiveWorkers } from '../../../infra/resources.ts';
import { routes as allRoutes } from '../../../infra/routes.ts';
import { unofferedPaths } from '../../../infra/unoffered-paths.ts';
import { tenantBatchesMax, tenantSlots } from '../../../shared/execution/batches/slot-sharing.ts';
import { grantsIn } from './grants-in.ts';
import { synthesise } from './synthesise.ts';

let prod: Template;
let dev: Template;
let withCloudFront: Template;
/** Resources with data of tenants. */
const kept = [
  'AWS::S3::Bucket',
  'AWS::S3Vectors::VectorBucket',
  'AWS::SecretsManager::Secret',
  'AWS::Logs::LogGroup',
];

beforeAll(() => {
  prod = synthesise('prod');
  dev = synthesise('dev');
  withCloudFront = synthesise('prod', { cloudFront: 'true' });
}, 60_000);

const anyMethod = 'x-amazon-apigateway-any-method';

test('the gateway defines every route and puts the authorizer before each non-public one', () => {
  const [api] = Object.values(prod.findResources('AWS::ApiGateway::RestApi'));
  if (!api) throw new Error('There is no API');
  const { paths, ...document } = api.Properties.Body;
  const routes = Object.entries(paths as Record<string, Record<string, { security?: unknown }>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => [
        `${method.toUpperCase()} ${path}`,
        security !== undefined,
      ]),
  );
  const refused = refusedMethods.map(({ method, path }) => [`${method} ${path}`, false]);
  const unoffered = unofferedPaths(1_000).map(({ path }) => [`${anyMethod.toUpperCase()} ${path}`, false]);
  expect(Object.fromEntries(routes)).toEqual({
    ...Object.fromEntries(
      allRoutes.flatMap(({ method, path, isPublic, anyOrigin }) => [
        [`${method} ${path}`, !isPublic],
        ...(anyOrigin ? [[`OPTIONS ${path}`, false]] : []),
      ]),
    ),
    ...Object.fromEntries(refused),
    ...Object.fromEntries(unoffered),
  });
  const { type, responses } = paths['/v1/openai/{proxy+}'][anyMethod]['x-amazon-apigateway-integration'];
  expect({ type, ...responses.default }).toMatchObject({ type: 'mock', statusCode: '404' });
  const template = responses.default.responseTemplates['application/json'];
  // As API Gateway fills it in.
  const body = template.replace(
    /\$util\.escapeJavaScript\(\$context\.\w+\)\.replaceAll\("[^"]*", ?"'"\)/g,
    'x',
  );
  expect(JSON.parse(body).error.message).toMatch(/^No such endpoint: x x\./);
  const [{ path = '', method = '' } = {}] = refusedMethods;
  expect(paths[path][method.toLowerCase()]['x-amazon-apigateway-integration']).toMatchObject({
    type: 'mock',
    requestTemplates: { 'application/json': '{"statusCode": 405}' },
    responses: { default: { responseParameters: { 'method.response.header.Allow': "'POST'" } } },
  });
  expect(document['x-amazon-apigateway-binary-media-types']).toEqual(['multipart/form-data']);
  const { UNAUTHORIZED } = document['x-amazon-apigateway-gateway-responses'];
  expect(JSON.parse(UNAUTHORIZED.responseTemplates['application/json'])).toEqual({
    error: 'Unauthorized',
    details: 'The API key is invalid or missing',
  });
});

test('production retains its data: deletion protection, point-in-time recovery, no deletion with the stack', () => {
  prod.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
    BillingMode: 'PAY_PER_REQUEST',
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    Replicas: [
      {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    ],
  });
  prod.allResources('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain' });
  for (const type of kept) prod.allResources(type, { DeletionPolicy: Match.stringLikeRegexp('^Retain') });
});

const rulesIn = (template: Template) =>
  Object.values(template.findResources('AWS::S3::Bucket'))
    .flatMap(({ Properties }) => Properties.LifecycleConfiguration?.Rules ?? [])
    .filter(({ ExpirationInDays }) => ExpirationInDays !== undefined);

test('payloads of runs of tools and of exports expire with their items', () => {
  expect(rulesIn(prod)).toContainEqual({ Prefix: 'exports/', ExpirationInDays: 1, Status: 'Enabled' });
  expect(rulesIn(prod)).toContainEqual({ Prefix: 'tool-runs/', ExpirationInDays: 30, Status: 'Enabled' });
});

test('with a retention, payloads of conversations expire with their items; without one, they do not', () => {
  const withRetention = synthesise('prod', { conversationRetentionDays: '90' });
  expect(rulesIn(withRetention)).toContainEqual(
    expect.objectContaining({ Prefix: 'conversations/', ExpirationInDays: 90, Status: 'Enabled' }),
  );
  expect(rulesIn(prod).filter(({ Prefix }) => Prefix === 'conversations/')).toEqual([]);
  const knowing = (template: Template) =>
    Object.values(template.findResources('AWS::Lambda::Function')).flatMap(({ Properties }) => {
      const days = Properties.Environment?.Variables?.CONVERSATION_RETENTION_DAYS;
      return days === undefined ? [] : [[Properties.FunctionName.replace(/^agent-flow-prod-/, ''), days]];
    });
  expect(knowing(withRetention)).toContainEqual(['conversations_update', '90']);
  expect(knowing(prod)).toEqual([]);
});

/** The Lambda of an event source, which names it or its alias. */
function consumerIn(template: Template, invoked: Reference) {
  const { Ref, 'Fn::GetAtt': attribute } = invoked;
  const alias = template.findResources('AWS::Lambda::Alias')[Ref ?? ''];
  const id = alias?.Properties.FunctionName.Ref ?? attribute?.[0] ?? '';
  return template.findResources('AWS::Lambda::Function')[id];
}
interface Reference {
  Ref?: string;
  'Fn::GetAtt'?: [string, string];
}

test('every queue has a dead-letter queue, and a visibility timeout of six times its Lambda’s timeout unless it states another', () => {
  const queues = Object.values(prod.findResources('AWS::SQS::Queue'));
  expect(queues).toHaveLength(20);
  expect(queues.filter(({ Properties }) => Properties.RedrivePolicy)).toHaveLength(10);
  for (const source of Object.values(prod.findResources('AWS::Lambda::EventSourceMapping'))) {
    const queue = prod.findResources('AWS::SQS::Queue')[source.Properties.EventSourceArn['Fn::GetAtt'][0]];
    const lambda = consumerIn(prod, source.Properties.FunctionName);
    const worker = lambda?.Properties.FunctionName.replace(/^.*workers_/, '');
    const stated: Record<string, number> = {
      'run-record': 960,
      'run-agent': 960,
      'export-telemetry': 90,
      'run-job': 630,
    };
    const expected = stated[worker] ?? 6 * lambda?.Properties.Timeout;
    expect(queue?.Properties.VisibilityTimeout).toBe(expected);
    expect(expected).toBeGreaterThanOrEqual(lambda?.Properties.Timeout);
  }
});

test.each(['dev', 'staging', 'prod'] as const)(
  'in %s, every event source states its maximum concurrency, and one tenant cannot occupy that of the runs',
  (environment) => {
    const template = environment === 'prod' ? prod : synthesise(environment);
    const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
    expect(sources).toHaveLength(20);
    const concurrency = new Map(
      sources.map(({ Properties }) => [
        consumerIn(template, Properties.FunctionName)?.Properties.FunctionName.replace(/^.*workers_/, ''),
        Properties.ScalingConfig?.MaximumConcurrency,
      ]),
    );
    for (const queue of Object.values(queues)) {
      expect(concurrency.get(queue.worker)).toBe(queue.maxConcurrency[environment]);
      expect(concurrency.get(queue.deadLetterWorker)).toBe(2);
    }
    expect(concurrency.get('run-record')).toBeGreaterThan(tenantSlots + tenantBatchesMax);
  },
);

test('only the workers whose chains we end ourselves allow recursive loops', () => {
  const allowed = prod.findResources('AWS::Lambda::Function', { Properties: { RecursiveLoop: 'Allow' } });
  const names = Object.values(allowed).map(({ Properties }) =>
    Properties.FunctionName.replace(/^.*workers_/, ''),
  );
  expect(names.sort()).toEqual(Object.keys(recursiveWorkers).sort());
});

test('in production, the authorizer has concurrency of its own', () => {
  const reserved = prod.findResources('AWS::Lambda::Function', {
    Properties: { ReservedConcurrentExecutions: Match.anyValue() },
  });
  expect(Object.values(reserved).map(({ Properties }) => Properties.FunctionName)).toEqual([
    'agent-flow-prod-authorizer',
  ]);
});

test('every Lambda is traced and runs Node 24 on arm64', () => {
  prod.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    TracingConfig: { Mode: 'Active' },
  });
});

test('an endpoint can declare more memory and thereby get a full vCPU', () => {
  const memoryOf = (id: string) => {
    const named = { FunctionName: Match.stringLikeRegexp(`-${id}$`) };
    const lambdas = prod.findResources('AWS::Lambda::Function', { Properties: named });
    return Object.values(lambdas).map(({ Properties }) => Properties.MemorySize);
  };
  expect(memoryOf('records_bulk-edit')).toEqual([1_769]);
  expect(memoryOf('records_bulk-delete')).toEqual([512]);
});

test('no bucket is public: CloudFront serves only the files that flows made public', () => {
  const PublicAccessBlockConfiguration = {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  };
  for (const template of [prod, dev, withCloudFront])
    template.allResourcesProperties('AWS::S3::Bucket', { PublicAccessBlockConfiguration });
  prod.resourceCountIs('AWS::CloudFront::Distribution', 0);
  withCloudFront.hasResourceProperties('AWS::CloudFront::Distribution', {
    DistributionConfig: {
      Origins: [Match.objectLike({ OriginPath: '/public', OriginAccessControlId: Match.anyValue() })],
      DefaultCacheBehavior: Match.objectLike({ ViewerProtocolPolicy: 'https-only' }),
    },
  });
  const denial = {
    Effect: 'Deny',
    Action: 's3:GetObject',
    Principal: { Service: 'cloudfront.amazonaws.com' },
  };
  withCloudFront.hasResourceProperties('AWS::S3::BucketPolicy', {
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({ ...denial, Resource: { 'Fn::Join': ['', Match.arrayWith(['/private/*'])] } }),
      ]),
    },
  });
});

test('only Lambdas that run flows or agents can access the tenants’ vectors and files and know their locations', () => {
  const reaching = grantsIn(prod).filter(({ actions }) => actions.includes('s3vectors:QueryVectors'));
  const groups = reaching.map(({ role }) => role);
  expect(groups.sort()).toEqual([
    'agent-runs',
    'client-chat',
    'dispatch',
    'openai',
    'surface-a2a',
    'surface-mcp',
    'surface-runs',
    'tool-runs',
    'workers',
  ]);
  const variables = Object.values(withCloudFront.findResources('AWS::Lambda::Function')).filter(
    ({ Properties }) => 'PUBLIC_ASSETS_URL' in (Properties.Environment?.Variables ?? {}),
  );
  expect(variables.length).toBeGreaterThan(1);
  for (const { Properties } of variables) {
    expect(Properties.FunctionName).toMatch(
      /^agent-flow-prod-(workers|dispatch|openai|client-chat|surface-a2a|surface-mcp|surface-runs|tool-runs|agent-runs)_/,
    );
    expect(Object.keys(Properties.Environment.Variables)).toEqual(
      expect.arrayContaining(['VECTOR_BUCKET', 'ASSET_BUCKET']),
    );
  }
});

test('flow validation reads credentials itself, writes only counters and cannot read vectors', () => {
  const check = Object.values(prod.findResources('AWS::Lambda::Function')).find(
    ({ Properties }) => Properties.FunctionName === 'agent-flow-prod-public_validate-flow',
  );
  expect(Object.keys(check?.Properties.Environment.Variables)).toEqual(
    expect.arrayContaining(['OIDC_ISSUER', 'OIDC_AUDIENCE', 'VECTOR_BUCKET', 'PROVIDER_KEYS_SECRET']),
  );
  expect(check?.Properties.Role['Fn::GetAtt'][0]).toMatch(/publicrole/);
  const actions = grantsIn(prod)
    .filter(({ role }) => role === 'public')
    .flatMap(({ actions }) => actions)
    .filter((action) => !/^(logs|xray):/.test(action));
  expect(actions.toSorted()).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    // Of public files, for the other endpoint of the group.
    's3:GetObject',
    's3vectors:GetIndex',
    'secretsmanager:GetSecretValue',
  ]);
});

test('setup links start with the configured public URL', () => {
  const template = synthesise('dev', { publicUrl: 'https://flows.example.com' });
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-dev-secrets_setup-url',
    Environment: { Variables: { PUBLIC_URL: 'https://flows.example.com' } },
  });
});

test('one Lambda streams static files, and its role has no access to data', () => {
  const [api] = Object.values(prod.findResources('AWS::ApiGateway::RestApi'));
  const paths = ['/openapi.json', '/docs', '/docs/{proxy+}', '/secrets/setup', '/secrets/setup/{proxy+}'];
  const integrations = paths.map(
    (path) => api?.Properties.Body.paths[path].get['x-amazon-apigateway-integration'],
  );
  for (const integration of integrations) {
    expect(integration).toEqual({ ...integrations[0], responseTransferMode: 'STREAM' });
  }
  prod.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-prod-static-files',
    Environment: { Variables: Match.objectLike({ STATIC_FILES: 'static' }) },
  });
  const grants = grantsIn(prod).filter(({ role }) => role === 'static-files');
  expect(grants.length).toBeGreaterThan(0);
  expect(JSON.stringify(grants)).not.toMatch(/dynamodb|secretsmanager|s3:|sqs:/);
});

test('users can read but not change the organization that an administrator assigned', () => {
  prod.hasResourceProperties('AWS::Cognito::UserPool', {
    Schema: [Match.objectLike({ Name: 'organizationId', AttributeDataType: 'String' })],
    AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
  });
  prod.allResourcesProperties('AWS::Cognito::UserPoolClient', {
    ReadAttributes: Match.absent(),
    WriteAttributes: ['email', 'name'],
  });
});

test('Cognito puts the organization into access tokens by a Lambda that has no rights', () => {
  const [id, lambda] = Object.entries(
    dev.findResources('AWS::Lambda::Function', {
      Properties: { FunctionName: 'agent-flow-dev-pre-token-generation' },
    }),
  )[0] ?? ['', undefined];
  const trigger = { LambdaArn: { 'Fn::GetAtt': [id, 'Arn'] }, LambdaVersion: 'V2_0' };
  dev.hasResourceProperties('AWS::Cognito::UserPool', {
    LambdaConfig: { PreTokenGenerationConfig: trigger },
  });
  const signals = { METRICS_NAMESPACE: 'agent-flow/dev', LOG_LEVEL: 'info' };
  expect(lambda?.Properties.Environment).toEqual({ Variables: signals });
});

test('the console signs people in with the pool: by authorization code, at its own address alone, without a secret', () => {
  const template = synthesise('dev', { publicUrl: 'https://flows.example.com' });
  const consoleUrl = 'https://flows.example.com/console';
  template.hasResourceProperties('AWS::Cognito::UserPoolClient', {
    AllowedOAuthFlowsUserPoolClient: true,
    AllowedOAuthFlows: ['code'],
    AllowedOAuthScopes: ['openid', 'email', 'profile'],
    CallbackURLs: [consoleUrl],
    LogoutURLs: [consoleUrl],
    GenerateSecret: Match.absent(),
    SupportedIdentityProviders: ['COGNITO'],
    EnableTokenRevocation: true,
    RefreshTokenValidity: 1_440,
    RefreshTokenRotation: { Feature: 'ENABLED', RetryGracePeriodSeconds: 10 },
    ExplicitAuthFlows: ['ALLOW_USER_SRP_AUTH'],
  });
  template.hasResourceProperties('AWS::Cognito::UserPoolDomain', {
    Domain: { 'Fn::Join': ['', ['agent-flow-dev-', { Ref: 'AWS::AccountId' }]] },
  });
  const [domain] = Object.keys(template.findResources('AWS::Cognito::UserPoolDomain'));
  const region = { Ref: 'AWS::Region' };
  const origin = ['https://', { Ref: domain }, '.auth.', region, '.amazoncognito.com'];
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-dev-static-files',
    Environment: { Variables: Match.objectLike({ SIGN_IN_ORIGINS: { 'Fn::Join': ['', origin] } }) },
  });
  const [client] = Object.keys(template.findResources('AWS::Cognito::UserPoolClient'));
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-dev-public_sign-in',
    Environment: { Variables: { CONSOLE_CLIENT_ID: { Ref: client }, OIDC_AUDIENCE: { Ref: client } } },
  });
});

test('a configured OIDC issuer replaces the Cognito user pool', () => {
  const template = synthesise('dev', { oidcIssuer: 'https://id.example.com', oidcAudience: 'api' });
  template.resourceCountIs('AWS::Cognito::UserPool', 0);
  expect(JSON.stringify(template.toJSON())).not.toContain('pre-token-generation');
  template.hasResourceProperties('AWS::Lambda::Function', {
    Environment: { Variables: { OIDC_ISSUER: 'https://id.example.com', OIDC_AUDIENCE: 'api' } },
  });
  const pages = { FunctionName: 'agent-flow-dev-static-files' };
  template.hasResourceProperties('AWS::Lambda::Function', {
    ...pages,
    Environment: { Variables: Match.objectLike({ SIGN_IN_ORIGINS: 'https://id.example.com' }) },
  });
  const knowing = (given: Template) =>
    given.findResources('AWS::Lambda::Function', {
      Properties: { Environment: { Variables: { CONSOLE_CLIENT_ID: Match.anyValue() } } },
    });
  expect(knowing(template)).toEqual({});
  const own = { oidcIssuer: 'https://id.example.com', oidcAudience: 'api', consoleClientId: 'spa' };
  const withClient = synthesise('dev', { ...own, signInOrigins: 'https://tokens.example.com' });
  expect(Object.values(knowing(withClient))).toMatchObject([
    { Properties: { FunctionName: 'agent-flow-dev-public_sign-in' } },
  ]);
  const origins = 'https://id.example.com https://tokens.example.com';
  withClient.hasResourceProperties('AWS::Lambda::Function', {
    ...pages,
    Environment: { Variables: Match.objectLike({ SIGN_IN_ORIGINS: origins }) },
  });
});

test('a web ACL on the stage enforces a rate per address, and a lower one on public paths', () => {
  dev.resourceCountIs('AWS::WAFv2::WebACL', 0);
  prod.resourceCountIs('AWS::WAFv2::WebACL', 1);
  synthesise('prod', { wafRatePer5Minutes: 'off' }).resourceCountIs('AWS::WAFv2::WebACL', 0);
  const template = synthesise('dev', { wafRatePer5Minutes: '2000' });
  const blocked = Match.objectLike({
    ResponseCode: 429,
    ResponseHeaders: Match.arrayWith([{ Name: 'Retry-After', Value: '1' }]),
  });
  const rule = (statement: object) =>
    Match.objectLike({
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', ...statement } },
      Action: { Block: { CustomResponse: blocked } },
    });
  template.hasResourceProperties('AWS::WAFv2::WebACL', {
    Scope: 'REGIONAL',
    Rules: [rule({ Limit: 2_000 }), rule({ Limit: 200, ScopeDownStatement: Match.anyValue() })],
  });
  const [stage] = Object.keys(template.findResources('AWS::ApiGateway::Stage'));
  const [association] = Object.values(template.findResources('AWS::WAFv2::WebACLAssociation'));
  expect(JSON.stringify(association?.Properties.ResourceArn)).toContain(`"/stages/",{"Ref":"${stage}"}`);
});

test('with a header of a CDN, the web ACL counts the address in it, and that of the sender where the header is missing', () => {
  const template = synthesise('prod', { forwardedAddressHeader: 'CF-Connecting-IP' });
  const [acl] = Object.values(template.findResources('AWS::WAFv2::WebACL'));
  const rules: { Statement: { RateBasedStatement: Record<string, unknown> }; Priority: number }[] =
    acl?.Properties.Rules;
  expect(new Set(rules.map(({ Priority }) => Priority)).size).toBe(4);
  const statements = rules.map(({ Statement }) => Statement.RateBasedStatement);
  const forwarded = statements.filter(({ AggregateKeyType }) => AggregateKeyType === 'FORWARDED_IP');
  expect(forwarded.map(({ Limit }) => Limit)).toEqual([10_000, 1_000]);
  for (const { ForwardedIPConfig } of forwarded)
    expect(ForwardedIPConfig).toEqual({ HeaderName: 'CF-Connecting-IP', FallbackBehavior: 'MATCH' });
  expect(forwarded.map(({ ScopeDownStatement }) => ScopeDownStatement !== undefined)).toEqual([false, true]);
  const ofSenders = statements.filter(({ AggregateKeyType }) => AggregateKeyType === 'IP');
  expect(ofSenders.map(({ Limit }) => Limit)).toEqual([10_000, 1_000]);
  for (const { ScopeDownStatement } of ofSenders) {
    expect(JSON.stringify(ScopeDownStatement)).toContain('"NotStatement"');
    expect(JSON.stringify(ScopeDownStatement)).toContain('{"SingleHeader":{"Name":"cf-connecting-ip"}}');
  }
});

test('pages of every origin may read the refusals of the web ACL', () => {
  const [acl] = Object.values(prod.findResources('AWS::WAFv2::WebACL'));
  expect(acl?.Properties.Rules).toHaveLength(2);
  for (const { Action } of acl?.Properties.Rules ?? []) {
    const headers = Action.Block.CustomResponse.ResponseHeaders;
    expect(headers).toContainEqual({ Name: 'Access-Control-Allow-Origin', Value: '*' });
    expect(headers).toContainEqual({
      Name: 'Access-Control-Expose-Headers',
      Value: expect.stringContaining('Retry-After'),
    });
    expect(headers.length).toBeLessThanOrEqual(10);
  }
});

test('emails of Cognito come from the configured sender, without which Cognito sends 50 a day', () => {
  prod.hasResourceProperties('AWS::Cognito::UserPool', { EmailConfiguration: Match.absent() });
  const template = synthesise('dev', {
    userEmailSender: 'no-reply@example.com',
    userEmailIdentity: 'example.com',
    domainName: 'api.example.com',
    basePath: 'flows',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  });
  template.hasResourceProperties('AWS::Cognito::UserPool', {
    EmailConfiguration: {
      EmailSendingAccount: 'DEVELOPER',
      From: 'no-reply@example.com',
      SourceArn: {
        'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':identity/example.com$')])],
      },
    },
  });
  // A domain of its own, below a base path.
  template.hasResourceProperties('AWS::ApiGateway::DomainName', {
    DomainName: 'api.example.com',
    SecurityPolicy: 'TLS_1_2',
    RegionalCertificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
  const [stage] = Object.keys(template.findResources('AWS::ApiGateway::Stage'));
  template.hasResourceProperties('AWS::ApiGateway::BasePathMapping', {
    BasePath: 'flows',
    Stage: { Ref: stage },
  });
  template.hasOutput('Url', { Value: 'https://api.example.com/flows' });
  template.hasOutput('DomainTarget', {});
  template.hasOutput('DomainZone', {});
});

test('API Gateway throttles requests, those to public routes at a tenth, and without metrics for each method', () => {
  const settings = prod.findResources('AWS::ApiGateway::Stage');
  const [{ MethodSettings } = { MethodSettings: [] }] = Object.values(settings).map(
    ({ Properties }) => Properties,
  );
  expect(MethodSettings).toContainEqual(
    expect.objectContaining({
      HttpMethod: '*',
      ResourcePath: '/*',
      MetricsEnabled: false,
      ThrottlingRateLimit: 2_000,
      ThrottlingBurstLimit: 4_000,
    }),
  );
  const throttled = MethodSettings.filter(
    (each: Record<string, unknown>) => each.ThrottlingRateLimit === 200,
  );
  expect(
    throttled.map((each: Record<string, string>) => `${each.HttpMethod} ${each.ResourcePath}`).sort(),
  ).toEqual(
    allRoutes
      .filter(({ isPublic, verifiesCredential }) => isPublic && !verifiesCredential)
      .map(({ method, path }) => `${method} /${path.replaceAll('/', '~1')}`)
      .sort(),
  );
});
