import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { defineToolType } from './tool-type.ts';

export const flowTool = defineToolType({
  type: 'flow',
  summary:
    'Runs the published version of a flow. The arguments are its variables; its last output is the result',
  config: z.strictObject({ flowId: resourceId('flow') }),
  effects: true,
  takesSecrets: false,
  permission: 'FLOWS:EXECUTE',
});
