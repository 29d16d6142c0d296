import { expect, test } from 'vitest';
import { routes as allRoutes, staticFilesLambda } from '../../../infra/routes.ts';
import { synthesise } from './synthesise.ts';

const routes = allRoutes.filter(({ lambda }) => lambda !== staticFilesLambda);

/** API Gateway’s document of a deployment that allows these origins. */
function documentFor(corsOrigins?: string) {
  const template = synthesise('dev', corsOrigins ? { corsOrigins } : {});
  const [api] = Object.values(template.findResources('AWS::ApiGateway::RestApi'));
  return api?.Properties.Body;
}

test('without configured origins there are no preflight methods', () => {
  expect(JSON.stringify(documentFor())).not.toMatch(/"options"|Access-Control/);
});

test('with one or more origins, API Gateway answers preflight requests of every path without a Lambda', () => {
  const { paths } = documentFor('https://a.example.com,https://b.example.com');
  for (const { path } of routes) {
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

test('the gateway’s own responses name a single origin, or all if there are several', () => {
  const originOf = (origins: string) =>
    documentFor(origins)['x-amazon-apigateway-gateway-responses'].UNAUTHORIZED.responseParameters[
      'gatewayresponse.header.Access-Control-Allow-Origin'
    ];
  expect(originOf('https://a.example.com')).toBe("'https://a.example.com'");
  expect(originOf('https://a.example.com,https://b.example.com')).toBe("'*'");
});
