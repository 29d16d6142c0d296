import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const setupScript = defineEndpoint({
  id: 'setup.script',
  method: 'GET',
  path: '/secrets/setup/script.js',
  permission: 'public',
  scope: 'none',
  summary: 'The script of that screen',
  response: { kind: 'text', mediaType: 'text/javascript; charset=utf-8', headers: screenHeaders },
  needs: {},
  handle: () => intakeScreen('script.js'),
});

export const handler = toLambda(setupScript);
