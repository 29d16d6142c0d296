import * as z from 'zod';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { intakeScreen, screenHeaders } from '../../shared/intake/screen.ts';

export const setupPage = defineEndpoint({
  id: 'setup.page',
  method: 'GET',
  path: '/secrets/setup',
  permission: 'public',
  summary: 'The screen that takes the values of secrets',
  produces: 'text/html; charset=utf-8',
  headers: screenHeaders,
  responses: { 200: z.string() },
  needs: {},
  handle: () => intakeScreen('page.html'),
});

export const handler = toLambda(setupPage);
