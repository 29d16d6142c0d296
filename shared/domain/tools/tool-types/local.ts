import * as z from 'zod';
import { defineToolType } from './tool-type.ts';

export const localTool = defineToolType({
  type: 'local',
  summary: 'Is executed by the caller: the run waits until the caller sends the output',
  config: z.strictObject({}),
  effects: true,
  takesSecrets: false,
  permission: null,
});
