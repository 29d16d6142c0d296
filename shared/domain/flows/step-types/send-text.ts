import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { isTemplated, Template } from '../steps/template-text.ts';

export const textMessageMax = 1_600;
const phoneNumber = /^\+[1-9]\d{6,14}$/;
/** A sender id: letters and digits, at least one letter. */
const senderId = /^(?=.*[A-Za-z])[A-Za-z0-9]{1,11}$/;

export const compactNumber = (text: string) => text.replace(/[\s().-]/g, '');
export const isPhoneNumber = (text: string) => phoneNumber.test(compactNumber(text));
export const isSender = (text: string) => isPhoneNumber(text) || senderId.test(text);
export const expected = {
  from: 'a phone number like +491701234567, or a name of 1 to 11 letters and digits',
  to: 'a phone number in international format, like +491701234567',
};

/** Checks literal values now, and rendered ones when the step runs. */
const createText = (accepts: (text: string) => boolean, what: string) =>
  Template.min(1).refine((text) => isTemplated(text) || accepts(text), `Expected ${what}`);

export const sendTextStep = defineStepType({
  type: 'send-text',
  summary: 'Send a text message (SMS) through Amazon SNS',
  config: z.strictObject({
    from: createText(isSender, expected.from).optional().meta({
      description: 'A phone number of the AWS account, or a sender name where the country allows one',
    }),
    to: createText(isPhoneNumber, expected.to),
    message: Template.min(1).meta({ description: `At most ${textMessageMax} characters once rendered` }),
    ...commonConfig,
  }),
  output: z.object({ messageId: z.string() }),
  effects: true,
  acts: () => true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
