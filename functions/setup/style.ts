import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const setupStyle = defineEndpoint({
  id: 'setup.style',
  method: 'GET',
  path: '/secrets/setup/style.css',
  permission: 'public',
  scope: 'none',
  summary: 'The style of that screen',
  response: { kind: 'text', mediaType: 'text/css; charset=utf-8', headers: screenHeaders },
  needs: {},
  handle: () => intakeScreen('style.css'),
});

export const handler = toLambda(setupStyle);
