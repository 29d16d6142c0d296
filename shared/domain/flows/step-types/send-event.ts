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
      description: `Becomes the event’s detail-type: ${typeCharactersMax} characters at most when it is filled`,
    }),
    payload: TemplatedJson.optional().meta({
      description:
        'Any JSON of 256 KB at most; it becomes detail.payload, beside detail.tenant. Texts in it are templates',
    }),
    ...commonConfig,
  }),
  output: z.object({ eventId: z.string() }),
  effects: true,
  takesSecrets: false,
  permission: null,
});
