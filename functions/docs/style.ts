import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { swaggerUi } from '../../shared/platform/http/swagger-ui.ts';

export const referenceStyle = defineEndpoint({
  id: 'docs.style',
  method: 'GET',
  path: '/docs/swagger-ui.css',
  permission: 'public',
  scope: 'none',
  summary: 'The style of the reference page',
  response: { kind: 'text', mediaType: 'text/css; charset=utf-8' },
  needs: {},
  handle: () => swaggerUi('swagger-ui.css'),
});

export const handler = toLambda(referenceStyle);
