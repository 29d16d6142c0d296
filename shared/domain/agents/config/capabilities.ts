import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { JsonSchemaText } from '../../flows/steps/common-config.ts';
import { ToolReference } from '../../flows/steps/tool-reference.ts';
import type { AgentCapability } from './agent.ts';

export const capabilitiesMax = 64;

export const CapabilityInput = z
  .strictObject({
    toolName: z
      .string()
      .min(1, { abort: true })
      .max(100)
      .refine((name) => /[a-zA-Z0-9]/.test(name), {
        params: { code: 'INVALID_FORMAT' },
        message: 'Expected at least one of the letters a to z, or a digit',
      })
      .meta({
        description:
          'Unique in the agent. The model sees it with `_` in place of characters that providers reject, and at most 64 characters',
      }),
    toolDescription: z.string().max(4_000).nullable().optional().meta({
      description: 'What it does and when to use it, for the model',
    }),
    flowId: resourceId('flow').nullable().optional(),
    subAgentId: resourceId('agent').nullable().optional(),
    toolId: ToolReference.nullable().optional(),
    parametersSchema: JsonSchemaText.nullable().optional().meta({
      description: 'A JSON Schema of the arguments. Default: that of the tool, or any arguments',
    }),
    enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  })
  .superRefine((capability, context) => {
    const named = targetNames.filter((name) => capability[name] != null);
    if (named.length === 1) return;
    const [code, path] = named[1] ? ['SEVERAL_TARGETS', named[1]] : ['MISSING_REQUIRED_FIELD', 'flowId'];
    const message = 'Name exactly one of flowId, subAgentId and toolId';
    context.addIssue({ code: 'custom', params: { code }, path: [path], message });
  })
  .meta({ id: 'AgentCapabilityInput' });
export type CapabilityInput = z.infer<typeof CapabilityInput>;

const targetNames = ['flowId', 'subAgentId', 'toolId'] as const;

export const newCapability = (
  input: CapabilityInput,
  made: Pick<AgentCapability, 'id' | 'createdAt' | 'displayOrder'>,
): AgentCapability => ({
  ...made,
  toolName: input.toolName,
  toolDescription: input.toolDescription ?? null,
  flowId: input.flowId ?? null,
  subAgentId: input.subAgentId ?? null,
  toolId: input.toolId ?? null,
  parametersSchema: input.parametersSchema ?? null,
  enabled: input.enabled ?? true,
});
