import * as z from 'zod';
import { TemplatedJson } from '../../flows/steps/template-text.ts';
import { requestConfig } from './request-config.ts';
import { defineToolType } from './tool-type.ts';

export const graphqlTool = defineToolType({
  type: 'graphql',
  summary: 'Sends a GraphQL operation',
  config: z.strictObject({
    ...requestConfig,
    query: z.string().min(1).max(100_000).meta({
      description: 'The document. It contains no templates: arguments reach it as variables',
    }),
    operationName: z.string().min(1).max(255).optional(),
    variables: TemplatedJson.optional().meta({ description: 'Default: the arguments' }),
  }),
  effects: true,
  takesSecrets: 'credentials',
  permission: null,
});
