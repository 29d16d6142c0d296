import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { defineToolType } from './tool-type.ts';

export const advisorTool = defineToolType({
  type: 'advisor',
  summary: 'Asks another model. Its arguments are the question',
  config: z.strictObject({
    model: nameUpTo(255),
    systemPrompt: z.string().max(100_000).optional(),
  }),
  effects: true,
  takesSecrets: false,
  permission: null,
});
