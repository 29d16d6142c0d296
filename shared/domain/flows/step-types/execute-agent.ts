import * as z from 'zod';
import { resourceId } from '../../../core/ids.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const executeAgentStep = defineStepType({
  type: 'execute-agent',
  summary:
    'Run an agent, as an execution of its own. Its answer is the output. An agent that needs an approval or its caller fails',
  config: z.strictObject({
    agentId: resourceId('agent').meta({
      description: 'Not a template. Runs the published version, if there is one',
    }),
    message: Template.min(1).meta({ description: 'What the agent is to do' }),
    timeoutMs: z.int().min(1_000).max(840_000).optional().meta({ description: 'Default: 600,000' }),
    ...commonConfig,
  }),
  output: z.unknown(),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: true,
  permission: 'AGENTS:EXECUTE',
});
