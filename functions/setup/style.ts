import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { intakeScreen, screenHeaders } from '../../shared/intake/screen.ts';

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
