import * as z from 'zod';
import { defaultValue, MemoryModel, memoryConfig } from '../steps/common-config.ts';
import { ErrorHandling } from '../steps/error-handling.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Config = z.strictObject({
  ...memoryConfig,
  queryTemplate: Template.min(1).meta({ description: 'The question' }),
  thinkingLevel: z.enum(['low', 'medium', 'high']).optional().meta({
    description:
      'How much the model reasons, and how many memories it reads: 10, 20 or 40. Default: 10 memories, and the reasoning that is usual for the model',
  }),
  responseLength: z.enum(['short', 'medium', 'long']).optional().meta({ description: 'Default: medium' }),
  model: MemoryModel,
  defaultValue,
  errorHandling: ErrorHandling.optional(),
});

export const recallMemoryStep = defineStepType({
  type: 'recall-memory',
  summary: 'Answer a question from the memory of a profile',
  config: Config,
  output: z.unknown(),
  effects: true,
  reusable: false,
  takesSecrets: false,
  callsModels: true,
  permission: 'RECORDS:READ',
});
