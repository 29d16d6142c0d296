import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { intakeScreen, screenHeaders } from '../../shared/intake/screen.ts';

export const setupFields = defineEndpoint({
  id: 'setup.fields',
  method: 'GET',
  path: '/secrets/setup/fields.js',
  permission: 'public',
  summary: 'The fields of that screen, which its script loads',
  produces: 'text/javascript; charset=utf-8',
  headers: screenHeaders,
  responses: { 200: z.string() },
  needs: {},
  handle: () => intakeScreen('fields.js'),
});

export const handler = toLambda(setupFields);
