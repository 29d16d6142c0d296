import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { TemplatedJson } from '../steps/template-text.ts';
import { ToolReference } from '../steps/tool-reference.ts';

export const toolCallStep = defineStepType({
  type: 'tool-call',
  summary: 'Run a tool. An inline flow also requires what the tool does, such as FLOWS:EXECUTE for a flow',
  config: z.strictObject({
    toolId: ToolReference,
    parameters: z.record(z.string(), TemplatedJson).optional().meta({
      description:
        'The arguments. Texts are templates; one that is a single {{ reference }} keeps the type of the value',
    }),
    ...commonConfig,
  }),
  output: z.unknown(),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: true,
  permission: 'TOOLS:EXECUTE',
});
