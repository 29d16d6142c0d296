import * as z from 'zod';
import { defineStep, StepError } from '../step.ts';
import { Template, TemplatedJson } from '../templates.ts';
import { plainMembers } from './members.ts';

const typeCharactersMax = 128;

export const sendEventStep = defineStep({
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
    ...plainMembers,
  }),
  output: z.object({ eventId: z.string() }),
  effects: true,
  takesSecrets: false,
  permission: null,
  async run({ config, render, renderValue, ports }) {
    const type = (await render(config.eventType)).trim();
    if (!type || type.length > typeCharactersMax) {
      throw new StepError(`eventType has to have 1 to ${typeCharactersMax} characters`);
    }
    const payload = await renderValue(config.payload ?? {});
    return { output: await ports.messages.event({ type, payload }) };
  },
});
