import * as z from 'zod';
import { Reasoning } from '../../flows/steps/reasoning.ts';

export const samplingMembers = {
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).max(500).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  seed: z.int().optional(),
  reasoning: Reasoning.optional(),
};
