import * as z from 'zod';
import { ToolReference } from '../../shared/domain/flows/steps/tool-reference.ts';
import { toolSchemas } from '../../shared/domain/tools/tool-schemas.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const idsMax = 50;

export const getToolSchemas = defineEndpoint({
  id: 'tools.schema',
  method: 'GET',
  path: '/v1/tools/schema',
  permission: 'TOOLS:READ',
  summary: 'Get the schemas of tools',
  description:
    'What a model needs to call the tools: name, description and the schema of the arguments. Unknown ids are left out.',
  query: z.object({
    toolIds: z
      .string()
      .max(4_000)
      .transform((text) => [...new Set(text.split(',').map((id) => id.trim()))].filter(Boolean))
      .pipe(z.array(ToolReference).max(idsMax, `At most ${idsMax} ids`))
      .optional()
      .meta({
        description: `Up to ${idsMax} ids separated by commas, also built-in ones as builtin:<id>. Default: the newest ${idsMax} active tools`,
      }),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        tools: z.array(
          z
            .object({
              id: z.string(),
              name: z.string(),
              description: z.string().nullable(),
              toolType: z.string(),
              parametersSchema: z.record(z.string(), z.unknown()).nullable(),
            })
            .meta({
              id: 'ToolSchema',
              examples: [
                {
                  id: 'builtin:calculator',
                  name: 'calculator',
                  description: 'Computes an expression exactly',
                  toolType: 'builtin',
                  parametersSchema: {
                    type: 'object',
                    properties: { expression: { type: 'string' } },
                    required: ['expression'],
                  },
                },
              ],
            }),
        ),
      }),
    },
  },
  errors: [400],
  needs: { schemas: toolSchemas },

  handle: async ({ query: { toolIds } }, { schemas }) => ({ tools: await schemas(toolIds, idsMax) }),
});

export const handler = toLambda(getToolSchemas);
