import * as z from 'zod';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';

export const openApiDocument = defineEndpoint({
  id: 'docs.openapi',
  method: 'GET',
  path: '/openapi.json',
  permission: 'public',
  scope: 'none',
  summary: 'This document',
  response: { kind: 'json', bodies: { 200: z.looseObject({ openapi: z.string() }) } },
  needs: {},

  async handle(): Promise<{ openapi: string }> {
    // Loaded here: the registry holds this endpoint too.
    const [{ openApi }, { groups }] = await Promise.all([
      import('../../shared/platform/http/openapi.ts'),
      import('../index.ts'),
    ]);
    return openApi(groups);
  },
});

export const handler = toLambda(openApiDocument);
