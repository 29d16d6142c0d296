import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { intakeScreen, screenHeaders } from '../../shared/intake/screen.ts';

export const setupScript = defineEndpoint({
  id: 'setup.script',
  method: 'GET',
  path: '/secrets/setup/script.js',
  permission: 'public',
  summary: 'The script of that screen',
  produces: 'text/javascript; charset=utf-8',
  headers: screenHeaders,
  responses: { 200: z.string() },
  needs: {},
  handle: () => intakeScreen('script.js'),
});

export const handler = toLambda(setupScript);
