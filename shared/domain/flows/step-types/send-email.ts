import * as z from 'zod';
import { parseMailboxes } from '../../../adapters/messages/mailboxes.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { isTemplated, Template } from '../steps/template-text.ts';

export const recipientsMax = 50;

/** Addresses that are known already have to be addresses; those that templates make are looked at when they are made. */
const Addresses = Template.min(1).superRefine((text, context) => {
  const message = isTemplated(text) ? undefined : problemOf(text);
  if (message) context.addIssue({ code: 'custom', message });
});

export const Config = z
  .strictObject({
    from: Addresses.meta({
      description: 'An address, or Name <address>, that SES knows as the deployment’s own',
    }),
    to: z
      .union([Addresses, z.array(Addresses).min(1).max(recipientsMax)], {
        error: `Expected an email address, or a list of 1 to ${recipientsMax}`,
      })
      .meta({
        description: `${recipientsMax} addresses at most: a text with commas, a list, or a {{ reference }} to one`,
      }),
    subject: Template.min(1),
    html: Template.optional(),
    text: Template.optional().meta({ description: 'The body for those who read no HTML' }),
    ...commonConfig,
  })
  .refine(({ html, text }) => html !== undefined || text !== undefined, {
    path: ['html'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Required: expected a body, as html or text or both',
  });
export type Config = z.infer<typeof Config>;

export const sendEmailStep = defineStepType({
  type: 'send-email',
  summary: 'Send an email through Amazon SES',
  config: Config,
  output: z.object({ messageId: z.string() }),
  effects: true,
  takesSecrets: false,
  permission: null,
});

function problemOf(text: string): string | undefined {
  try {
    return parseMailboxes(text).length > 0 ? undefined : 'Expected an email address';
  } catch (error) {
    return (error as Error).message;
  }
}
