import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template, TemplatedJson } from '../steps/template-text.ts';

export const typeCharactersMax = 128;

export const sendEventStep = defineStepType({
  type: 'send-event',
  summary: 'Put an event on the deployment’s EventBridge bus',
  config: z.strictObject({
    eventType: Template.min(1).meta({
      description: `The detail-type of the event: at most ${typeCharactersMax} characters once rendered`,
    }),
    payload: TemplatedJson.optional().meta({
      description:
        'Any JSON of up to 256 KB. Becomes detail.payload, next to detail.tenant. Its texts are templates',
    }),
    ...commonConfig,
  }),
  output: z.object({ eventId: z.string() }),
  effects: true,
  acts: () => true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
