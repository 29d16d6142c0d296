import * as z from 'zod';

const ToolName = z.string().min(1).max(128);

/** The tools that a prompt's model may call. */
export const PromptTools = z.strictObject({
  toolIds: z
    .array(z.string().regex(/^(?:tool_|builtin:)[\w-]{1,64}$/, 'Expected tool_… or builtin:<id>'))
    .min(1)
    .max(32)
    .meta({ description: 'Saved tools, as `tool_…`, and built-in ones, as `builtin:<id>`' }),
  maxToolCalls: z.int().min(1).max(100).optional().meta({
    description: 'Default: 10. Afterwards the model must answer without tools',
  }),
  toolCallStrategy: z.enum(['auto', 'required', 'none']).optional().meta({
    description: 'Whether the first turn may, must or must not call a tool. Default: auto',
  }),
  perToolLimits: z
    .record(ToolName, z.strictObject({ maxCalls: z.int().min(0).max(100) }))
    .optional()
    .meta({ description: 'By the name or the id of a tool' }),
});
export type PromptTools = z.infer<typeof PromptTools>;
