import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const setupPage = defineEndpoint({
  id: 'setup.page',
  method: 'GET',
  path: '/secrets/setup',
  permission: 'public',
  scope: 'none',
  summary: 'The screen that takes the values of secrets',
  response: { kind: 'text', mediaType: 'text/html; charset=utf-8', headers: screenHeaders },
  needs: {},
  handle: () => intakeScreen('page.html'),
});

export const handler = toLambda(setupPage);
