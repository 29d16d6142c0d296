import * as z from 'zod';
import { ToolReference } from './tool-reference.ts';

const ToolName = z.string().min(1).max(128);

/** The tools that a prompt's model may call. */
export const PromptTools = z.strictObject({
  toolIds: z.array(ToolReference).min(1).max(32).meta({
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
});
export type PromptTools = z.infer<typeof PromptTools>;
