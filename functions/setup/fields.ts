import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const setupFields = defineEndpoint({
  id: 'setup.fields',
  method: 'GET',
  path: '/secrets/setup/fields.js',
  permission: 'public',
  scope: 'none',
  summary: 'The fields of that screen, which its script loads',
  response: { kind: 'text', mediaType: 'text/javascript; charset=utf-8', headers: screenHeaders },
  needs: {},
  handle: () => intakeScreen('fields.js'),
});

export const handler = toLambda(setupFields);
