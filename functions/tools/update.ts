import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { checkTool } from '../../shared/domain/tools/check-tool.ts';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { getToolType } from '../../shared/domain/tools/tool-types/index.ts';
import { toolWarnings } from '../../shared/domain/tools/tool-warnings.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { parseOrReject } from '../../shared/platform/http/validation.ts';
import {
  NewToolName,
  ParametersSchema,
  SavedToolResponse,
  ToolDescription,
  ToolParams,
  toSavedToolResponse,
} from './schemas.ts';

export const updateTool = defineEndpoint({
  id: 'tools.update',
  method: 'PUT',
  path: '/v1/tools/{id}',
  permission: 'TOOLS:WRITE',
  summary: 'Update a tool',
  description:
    'Omitted members stay unchanged; `config` and `parametersSchema` replace the old ones whole. The type of a tool does not change. Runs fail with a tool whose `isActive` is false.',
  params: ToolParams,
  body: z
    .strictObject({
      name: NewToolName.optional(),
      description: ToolDescription(5_000).optional(),
      parametersSchema: ParametersSchema.optional(),
      config: z.record(z.string(), z.unknown()).optional().meta({
        description: 'As in POST /v1/tools, for the tool’s type',
      }),
      isActive: z.boolean().optional(),
    })
    .meta({ examples: [{ description: 'Returns the current weather of a city', isActive: true }] }),
  response: { kind: 'json', bodies: { 200: SavedToolResponse } },
  errors: [400, 404, 409, 503],
  needs: { tools: toolStore, sandbox, warnings: toolWarnings },

  async handle({ params, body, principal, signal }, { tools, sandbox, warnings }) {
    const limited = limitQueueTime(sandbox, signal);
    const tool = await tools.update(params.id, body, async (after) => {
      parseOrReject(getToolType(after.toolType).config, after.config, ['config']);
      if (body.config || body.parametersSchema) await checkTool(after, limited);
    });
    const { permissions } = principal;
    return toSavedToolResponse(tool, await warnings(tool, { permissions, sandbox: limited }));
  },
});

export const handler = toLambda(updateTool);
