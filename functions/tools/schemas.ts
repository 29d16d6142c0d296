import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { ToolReference } from '../../shared/domain/flows/steps/tool-reference.ts';
import type { Tool } from '../../shared/domain/tools/tool.ts';
import type { ToolWarning } from '../../shared/domain/tools/tool-warnings.ts';

export const ToolParams = z.object({ id: resourceId('tool') });
export const AnyToolParams = z.object({ id: ToolReference });

export const NewToolName = nameUpTo(100);
export const ToolDescription = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).refine(wellFormed, wellFormedOnly);

export const ParametersSchema = z.record(z.string(), z.unknown()).meta({
  description:
    'A JSON Schema (draft 2020-12) of the arguments, an object: at most 64 KB, 40 levels and 500 schemas, with references inside of the document only. Arguments are not coerced',
});

const JsonObject = z.record(z.string(), z.unknown());

const toolExample = {
  id: 'tool_01k9m4v7d3x8qz5w2r6t0y1hbn',
  userId: 'ada',
  organizationId: null,
  name: 'Current weather',
  description: 'The weather at a place now',
  toolType: 'external',
  parametersSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  config: { url: 'https://api.example.com/weather?city={{ city }}', method: 'GET' },
  isActive: true,
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
};

const { userId: _user, organizationId: _organization, config: _config, ...toolListItemExample } = toolExample;

export { toolListItemExample };

export const ToolResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    toolType: z.string(),
    parametersSchema: JsonObject.optional(),
    config: JsonObject.nullable(),
    isActive: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Tool', examples: [toolExample] });

export const SavedToolResponse = ToolResponse.extend({
  validation: z.object({
    warnings: z.array(
      z.object({
        code: z.string(),
        message: z.string(),
        severity: z.enum(['error', 'warning']),
        suggestion: z.string().optional(),
      }),
    ),
  }),
}).meta({ id: 'SavedTool', examples: [{ ...toolExample, validation: { warnings: [] } }] });

export const toToolResponse = ({
  search: _search,
  secretKeys: _keys,
  revision: _revision,
  ...tool
}: Tool): z.input<typeof ToolResponse> => tool;

export const toSavedToolResponse = (tool: Tool, warnings: readonly ToolWarning[]) => ({
  ...toToolResponse(tool),
  validation: { warnings: [...warnings] },
});
