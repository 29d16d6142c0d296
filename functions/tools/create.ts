import * as z from 'zod';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { checkTool } from '../../shared/domain/tools/check-tool.ts';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { toolTypes } from '../../shared/domain/tools/tool-types/index.ts';
import type { ToolType } from '../../shared/domain/tools/tool-types/tool-type.ts';
import { toolWarnings } from '../../shared/domain/tools/tool-warnings.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  NewToolName,
  ParametersSchema,
  SavedToolResponse,
  ToolDescription,
  toSavedToolResponse,
} from './schemas.ts';

const bodyOf = ({ type, summary, config }: ToolType) =>
  z
    .strictObject({
      toolType: z.literal(type),
      name: NewToolName,
      description: ToolDescription(500).meta({
        description: 'What it does and when to use it, for the model too',
      }),
      parametersSchema: ParametersSchema,
      config: config as z.ZodType<Record<string, unknown>>,
    })
    .meta({ description: summary });
type Variant = ReturnType<typeof bodyOf>;

const example = {
  toolType: 'external',
  name: 'Weather',
  description: 'Returns the current weather of a city',
  parametersSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  config: {
    url: 'https://api.example.com/weather?city={{ city }}',
    headers: { 'x-api-key': '{{secret:WEATHER_API_KEY}}' },
  },
} as const;

const CreateToolBody = z
  .discriminatedUnion('toolType', Object.values<ToolType>(toolTypes).map(bodyOf) as [Variant, ...Variant[]])
  .meta({ examples: [example] });

export const createTool = defineEndpoint({
  id: 'tools.create',
  method: 'POST',
  path: '/v1/tools',
  permission: 'TOOLS:WRITE',
  summary: 'Create a tool',
  description: `Checks the config against its type, parses templates and scripts, and checks that \`parametersSchema\` is valid. \`validation.warnings\` are likely mistakes. A config may reference secrets: whoever may run the tool uses them, but no response shows them, and no argument can send them to another server.

A tool of the type \`subagent\` runs an agent, and takes AGENTS:EXECUTE too.`,
  body: CreateToolBody,
  response: { kind: 'json', bodies: { 200: SavedToolResponse } },
  errors: [400, 503],
  needs: { tools: toolStore, sandbox, warnings: toolWarnings },

  async handle({ body, principal, signal }, { tools, sandbox, warnings }) {
    const { userId, organizationId, permissions } = principal;
    const limited = limitQueueTime(sandbox, signal);
    await checkTool(body, limited);
    const tool = await tools.create({ userId, organizationId }, body);
    return toSavedToolResponse(tool, await warnings(tool, { permissions, sandbox: limited }));
  },
});

export const handler = toLambda(createTool);
