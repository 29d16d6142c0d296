import * as z from 'zod';
import { defaultValue, MemoryModel, memoryConfig } from '../steps/common-config.ts';
import { ErrorHandling } from '../steps/error-handling.ts';
import { defineStepType } from '../steps/step.ts';

const Config = z.strictObject({
  ...memoryConfig,
  model: MemoryModel,
  defaultValue,
  errorHandling: ErrorHandling.optional(),
});

export const memorySummaryStep = defineStepType({
  type: 'memory-summary',
  summary: 'Return the summary of a profile’s memory, updated with the memories that are new',
  config: Config,
  output: z.unknown(),
  effects: true,
  reusable: false,
  takesSecrets: false,
  callsModels: true,
  permission: 'RECORDS:READ',
});
