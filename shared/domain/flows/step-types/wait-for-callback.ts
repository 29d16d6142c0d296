import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { Http } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { timeoutMinutes } from './approval.ts';

const Config = z.strictObject({
  timeoutMinutes: timeoutMinutes.meta({ description: 'If nothing comes by then, the step fails' }),
  announce: z.strictObject({ http: Http }).optional().meta({
    description:
      'A request that makes the address known, which is `{{ callbackUrl }}` in it. Without it, the address is in the `await` event and in the `waits` of the run',
  }),
  ...commonConfig,
});

export const waitForCallbackStep = defineStepType({
  type: 'wait-for-callback',
  summary: 'Wait for a request from another system',
  config: Config,
  textVariables: { member: 'announce', names: () => ['callbackUrl'] },
  output: z.unknown().meta({ description: 'The body of the request' }),
  effects: true,
  reusable: false,
  takesSecrets: 'text',
  callsModels: false,
  permission: null,
});
