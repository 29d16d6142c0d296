import * as z from 'zod';
import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const setupStyle = defineEndpoint({
  id: 'setup.style',
  method: 'GET',
  path: '/secrets/setup/style.css',
  permission: 'public',
  summary: 'The style of that screen',
  produces: 'text/css; charset=utf-8',
  headers: screenHeaders,
  responses: { 200: z.string() },
  needs: {},
  handle: () => intakeScreen('style.css'),
});

export const handler = toLambda(setupStyle);
