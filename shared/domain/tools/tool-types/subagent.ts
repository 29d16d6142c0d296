import * as z from 'zod';
import { defineToolType } from './tool-type.ts';

export const subagentTool = defineToolType({
  type: 'subagent',
  summary: 'Runs an agent. It can be stored, but not run: this service has no agents yet',
  config: z.strictObject({ agentId: z.string().min(1).max(128) }),
  effects: true,
  takesSecrets: false,
  permission: null,
});
