import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { swaggerUi } from '../../shared/platform/http/swagger-ui.ts';

const start = `
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

export const referenceScript = defineEndpoint({
  id: 'docs.script',
  method: 'GET',
  path: '/docs/swagger-ui.js',
  permission: 'public',
  scope: 'none',
  summary: 'The script of the reference page',
  response: { kind: 'text', mediaType: 'text/javascript; charset=utf-8' },
  needs: {},
  handle: async () => (await swaggerUi('swagger-ui-bundle.js')) + start,
});

export const handler = toLambda(referenceScript);
