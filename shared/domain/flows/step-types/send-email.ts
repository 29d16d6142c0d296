import * as z from 'zod';
import { parseMailboxes } from '../../../adapters/messages/mailboxes.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { isTemplated, Template } from '../steps/template-text.ts';

export const recipientsMax = 50;

/** Checks literal addresses now, and rendered ones when the step runs. */
const Addresses = Template.min(1).superRefine((text, context) => {
  const message = isTemplated(text) ? undefined : findProblem(text);
  if (message) context.addIssue({ code: 'custom', message });
});

export const SendEmailConfig = z
  .strictObject({
    from: Addresses.meta({
      description: 'An address, or Name <address>, that is verified in SES',
    }),
    to: z
      .union([Addresses, z.array(Addresses).min(1).max(recipientsMax)], {
        error: `Expected an email address, or a list of 1 to ${recipientsMax}`,
      })
      .meta({
        description: `At most ${recipientsMax} addresses: text separated by commas, a list, or a {{ reference }} to one`,
      }),
    subject: Template.min(1),
    html: Template.optional(),
    text: Template.optional().meta({ description: 'The body for mail clients without HTML' }),
    ...commonConfig,
  })
  .refine(({ html, text }) => html !== undefined || text !== undefined, {
    path: ['html'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Required: expected a body in html, text or both',
  });
export type SendEmailConfig = z.infer<typeof SendEmailConfig>;

export const sendEmailStep = defineStepType({
  type: 'send-email',
  summary: 'Send an email through Amazon SES',
  config: SendEmailConfig,
  output: z.object({ messageId: z.string() }),
  effects: true,
  acts: () => true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});

function findProblem(text: string): string | undefined {
  try {
    return parseMailboxes(text).length > 0 ? undefined : 'Expected an email address';
  } catch (error) {
    return (error as Error).message;
  }
}
