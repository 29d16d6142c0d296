import * as z from 'zod';
import { memoryConfig, VariablePath } from '../steps/common-config.ts';
import { PlainErrorHandling } from '../steps/error-handling.ts';
import { defineStepType } from '../steps/step.ts';

export const SaveMemoryConfig = z
  .strictObject({
    ...memoryConfig,
    contentVariable: VariablePath.optional().meta({
      description:
        'Names a variable with a text of up to 8,000 characters, or a list of up to 50 of these. Other values are saved as JSON',
    }),
    clear: z.boolean().optional().meta({
      description: 'true: first deletes all memories of the profile, those of its sessions too',
    }),
    defaultValue: z.unknown().optional().meta({
      description: 'What to save if the variable is not set. Without it, the step fails then',
    }),
    errorHandling: PlainErrorHandling.optional(),
  })
  .superRefine(({ contentVariable, clear }, context) => {
    if (contentVariable !== undefined || clear) return;
    context.addIssue({
      code: 'custom',
      path: ['contentVariable'],
      message: 'Required, unless clear is true',
    });
  });
export type SaveMemoryConfig = z.infer<typeof SaveMemoryConfig>;

export const saveMemoryStep = defineStepType({
  type: 'save-memory',
  summary: 'Save texts to the memory of a profile; a text that it already has is saved once',
  config: SaveMemoryConfig,
  output: z.object({
    profile: z.string(),
    /** The ids of the memories, new or not. */
    ids: z.array(z.string()),
    saved: z.int(),
    cleared: z.int(),
  }),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: true,
  permission: 'RECORDS:WRITE',
});
