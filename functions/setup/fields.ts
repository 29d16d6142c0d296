import * as z from 'zod';
import { intakeScreen, screenHeaders } from '../../shared/domain/secret-requests/screen.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

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
