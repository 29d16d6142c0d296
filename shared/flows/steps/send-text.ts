import * as z from 'zod';
import { defineStep, StepError } from '../step.ts';
import { isTemplated, Template } from '../templates.ts';
import { plainMembers } from './members.ts';

const charactersMax = 1_600;
const phoneNumber = /^\+[1-9]\d{6,14}$/;
/** A name in the sender's place: letters and digits, one letter at least. */
const senderId = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

/** A number without what people write for the eye. */
const compact = (text: string) => text.replace(/[\s().-]/g, '');
const isPhoneNumber = (text: string) => phoneNumber.test(compact(text));
const isSender = (text: string) => isPhoneNumber(text) || senderId.test(text);
const expected = {
  from: 'a phone number like +491701234567, or a name of 1 to 11 letters and digits',
  to: 'a phone number in international form, like +491701234567',
};

/** What is known already has to be right; what a template makes is looked at when it is made. */
const textThat = (accepts: (text: string) => boolean, what: string) =>
  Template.min(1).refine((text) => isTemplated(text) || accepts(text), `Expected ${what}`);

export const sendTextStep = defineStep({
  type: 'send-text',
  summary: 'Send a text message (SMS) through Amazon SNS',
  config: z.strictObject({
    from: textThat(isSender, expected.from)
      .optional()
      .meta({ description: 'A number of the account, or a name where the country allows one' }),
    to: textThat(isPhoneNumber, expected.to),
    message: Template.min(1).meta({ description: `${charactersMax} characters at most when it is filled` }),
    ...plainMembers,
  }),
  output: z.object({ messageId: z.string() }),
  effects: true,
  takesSecrets: false,
  permission: null,
  async run({ config, render, ports }) {
    const from = config.from === undefined ? undefined : (await render(config.from)).trim();
    const to = await render(config.to);
    if (from !== undefined && !isSender(from)) throw new StepError(`from has to be ${expected.from}`);
    if (!isPhoneNumber(to)) throw new StepError(`to has to be ${expected.to}`);
    const message = await render(config.message);
    if (message.trim() === '' || message.length > charactersMax) {
      throw new StepError(`message has to have 1 to ${charactersMax} characters; it has ${message.length}`);
    }
    return {
      output: await ports.messages.sms({
        from: from && isPhoneNumber(from) ? compact(from) : from,
        to: compact(to),
        message,
      }),
    };
  },
});
