import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { defineToolType } from './tool-type.ts';

export const subagentTool = defineToolType({
  type: 'subagent',
  summary: 'Gives a task to an agent: the argument `message`, or all arguments as JSON',
  config: z.strictObject({ agentId: resourceId('agent') }),
  effects: true,
  takesSecrets: false,
  permission: 'AGENTS:EXECUTE',
});
