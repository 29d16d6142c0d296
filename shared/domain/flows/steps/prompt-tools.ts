import * as z from 'zod';
import { hasSecretReference } from '../../../core/secret-references.ts';
import { credentialField, McpAuth, McpServer } from './mcp-server.ts';
import { Template } from './template-text.ts';
import { RuntimeTool, ToolName, ToolReference } from './tool-reference.ts';

/** A version of a flow is stored and shown as it was sent, so it must not contain the value of a credential. */
const Credential = Template.min(1)
  .max(10_000)
  .refine(hasSecretReference, {
    params: { code: 'SECRET_NOT_ALLOWED' },
    message:
      'A flow names its credentials as {{secret:KEY}}, because it is stored and shown as it is sent; store the value with POST /v1/secrets',
  })
  .optional()
  .meta({ description: 'With `{{secret:KEY}}`' });

const PromptMcpServer = McpServer.extend({
  auth: McpAuth.omit({ configured: true })
    .extend({ token: Credential, password: Credential })
    .superRefine((auth, context) => {
      const field = credentialField({ auth });
      if (!field || auth[field] !== undefined) return;
      const params = { code: 'MISSING_REQUIRED_FIELD' };
      const message = `Required for the type ${auth.type}: a text with {{secret:KEY}}`;
      context.addIssue({ code: 'custom', params, path: [field], message });
    })
    .optional(),
});

const PromptRuntimeTool = RuntimeTool.extend({
  toolType: RuntimeTool.shape.toolType.exclude(['local'], {
    error: ({ input }) =>
      input === 'local'
        ? 'A tool of the type local is run by the caller, for which a prompt cannot wait; use it in a step of the type tool-call'
        : undefined,
  }),
});

export const PromptTools = z
  .strictObject({
    toolIds: z.array(ToolReference).max(32).optional().meta({
      description:
        'The tools that the model may call. Not those of the type local, which only the caller can run',
    }),
    maxToolCalls: z.int().min(1).max(100).optional().meta({
      description:
        'Default: 10. Calls of unknown tools and with invalid arguments count too. Afterwards the model must answer without tools',
    }),
    toolCallStrategy: z.enum(['auto', 'required', 'none']).optional().meta({
      description: 'Whether the first turn may, must or must not call a tool. Default: auto',
    }),
    perToolLimits: z
      .record(ToolName, z.strictObject({ maxCalls: z.int().min(0).max(100) }))
      .optional()
      .meta({ description: 'By the name or the id of a tool' }),
    runtimeTools: z.array(PromptRuntimeTool).max(64).optional().meta({
      description: 'Tools that exist in this step only. Their templates read the arguments of the call',
    }),
    mcpServers: z.array(PromptMcpServer).max(16).optional().meta({
      description: 'MCP servers whose tools the model may call, as `<id>__<tool>`',
    }),
  })
  .refine(
    ({ toolIds, runtimeTools, mcpServers }) => toolIds?.length || runtimeTools?.length || mcpServers?.length,
    {
      path: ['toolIds'],
      params: { code: 'MISSING_REQUIRED_FIELD' },
      message: 'Required: expected a tool in toolIds, runtimeTools or mcpServers',
    },
  );
export type PromptTools = z.infer<typeof PromptTools>;

export const stepTools = ({
  type,
  config,
}: FlowStepLike): Pick<PromptTools, 'runtimeTools' | 'mcpServers'> =>
  type === 'prompt' ? ((config?.tools as PromptTools | undefined) ?? {}) : {};

interface FlowStepLike {
  type: string;
  config?: Record<string, unknown> | undefined;
}
