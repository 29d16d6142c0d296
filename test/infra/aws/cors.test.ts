import { Match } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { routes as allRoutes, staticFilesLambda } from '../../../infra/routes.ts';
import { synthesise } from './synthesise.ts';

const routes = allRoutes.filter(({ lambda, method }) => lambda !== staticFilesLambda && method !== 'HEAD');

/** API Gateway’s document of a deployment that allows these origins. */
function documentFor(corsOrigins?: string) {
  const template = synthesise('dev', corsOrigins ? { corsOrigins } : {});
  const [api] = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
  return api?.Properties.Body;
}

test('pages of every origin may send a file to a signed address of the payload bucket, and no more', () => {
  const template = synthesise('dev', {});
  const withRules = Object.values(template.findResources('AWS::S3::Bucket')).filter(
    ({ Properties }) => Properties.CorsConfiguration,
  );
  expect(withRules.map(({ Properties }) => Properties.CorsConfiguration.CorsRules)).toEqual([
    [{ AllowedHeaders: ['content-type'], AllowedMethods: ['PUT'], AllowedOrigins: ['*'], MaxAge: 7_200 }],
  ]);
  template.hasResourceProperties('AWS::Lambda::Function', {
    FunctionName: 'agent-flow-dev-static-files',
    Environment: {
      Variables: Match.objectLike({
        UPLOADS_URL: { 'Fn::Join': ['', Match.arrayWith(['https://s3.', { Ref: 'AWS::Region' }])] },
      }),
    },
  });
});

test('without configured origins there are preflight methods for the chat of pages only', () => {
  const { paths } = documentFor();
  const answered = Object.keys(paths).filter((path) => paths[path].options);
  expect(answered).toEqual(routes.filter(({ anyOrigin }) => anyOrigin).map(({ path }) => path));
  expect(answered).toContain('/v1/client/executions/{executionId}/events');
});

test('every origin may ask for the chat of pages, whatever the origins of the deployment are', () => {
  for (const origins of [undefined, 'https://a.example.com', 'https://a.example.com,https://b.example.com']) {
    const { paths } = documentFor(origins);
    for (const { path, method } of routes.filter(({ anyOrigin }) => anyOrigin)) {
      const { responseParameters, responseTemplates } =
        paths[path].options['x-amazon-apigateway-integration'].responses.default;
      expect(responseTemplates).toBeUndefined();
      expect(responseParameters).toMatchObject({
        'method.response.header.Access-Control-Allow-Origin': "'*'",
        'method.response.header.Access-Control-Allow-Methods': `'${method}'`,
        'method.response.header.Access-Control-Allow-Headers': expect.stringContaining('X-Persona-Version'),
      });
      expect(responseParameters).not.toHaveProperty(
        'method.response.header.Access-Control-Allow-Credentials',
      );
    }
  }
});

test('with one or more origins, API Gateway answers preflight requests of every path without a Lambda', () => {
  const { paths } = documentFor('https://a.example.com,https://b.example.com');
  for (const { path, anyOrigin } of routes) {
    if (anyOrigin) continue;
    const { 'x-amazon-apigateway-integration': integration, security } = paths[path].options;
    expect(security).toBeUndefined();
    expect(integration.type).toBe('mock');
    const { responseParameters, responseTemplates } = integration.responses.default;
    expect(responseParameters['method.response.header.Vary']).toBe("'Origin'");
    expect(responseParameters).not.toHaveProperty('method.response.header.Access-Control-Allow-Origin');
    expect(responseTemplates['application/json']).toContain(
      '#if($origin == "https://a.example.com" || $origin == "https://b.example.com")',
    );
  }
});

test('pages may send the headers of a protocol to the paths that name them, and read a 405', () => {
  const { paths } = documentFor('https://a.example.com');
  const prefix = 'method.response.header.Access-Control';
  const own = ['A2A-Version', 'MCP-Protocol-Version'];
  for (const path of Object.keys(paths).filter((each) => paths[each].options)) {
    const { responseParameters } = paths[path].options['x-amazon-apigateway-integration'].responses.default;
    const named = routes
      .filter((route) => route.path === path)
      .flatMap((route) => route.requestHeaders ?? []);
    const offered = own.filter((name) => responseParameters[`${prefix}-Allow-Headers`].includes(name));
    expect(offered, path).toEqual(own.filter((name) => named.includes(name)));
  }
  expect(routes.flatMap((route) => route.requestHeaders ?? [])).toEqual(expect.arrayContaining(own));
  const { get, options } = paths['/v1/products/{id}/surfaces/{surfaceId}/mcp'];
  const parametersOf = (method: typeof get) =>
    method['x-amazon-apigateway-integration'].responses.default.responseParameters;
  expect(parametersOf(options)).toMatchObject({
    [`${prefix}-Allow-Methods`]: "'POST, GET, DELETE'",
    [`${prefix}-Allow-Headers`]: expect.stringMatching(/Last-Event-ID.*Mcp-Method, Mcp-Name, Mcp-Session-Id/),
  });
  expect(parametersOf(get)).toMatchObject({
    'method.response.header.Allow': "'POST'",
    [`${prefix}-Allow-Origin`]: "'*'",
  });
  expect(Object.keys(get.responses['405'].headers)).toContain('Access-Control-Allow-Origin');
});

test('a response has every header that its template sets declared', () => {
  for (const origins of ['*', 'https://a.example.com']) {
    const { responses, 'x-amazon-apigateway-integration': integration } =
      documentFor(origins).paths['/v1/flows'].options;
    const declared = Object.keys(responses['204'].headers);
    expect(declared).toContain('Access-Control-Allow-Origin');
    for (const name of Object.keys(integration.responses.default.responseParameters))
      expect(declared).toContain(name.replace('method.response.header.', ''));
  }
});

test('every page may read the gateway’s own responses, whatever the origins of the deployment are', () => {
  for (const origins of [undefined, 'https://a.example.com', 'https://a.example.com,https://b.example.com']) {
    const own: Record<string, { responseParameters: object }> =
      documentFor(origins)['x-amazon-apigateway-gateway-responses'];
    for (const type of [
      'UNAUTHORIZED',
      'THROTTLED',
      'INTEGRATION_FAILURE',
      'INTEGRATION_TIMEOUT',
      'DEFAULT_5XX',
    ])
      expect(own[type]?.responseParameters).toMatchObject({
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        'gatewayresponse.header.Access-Control-Expose-Headers': expect.stringContaining('Retry-After'),
      });
  }
});
