import * as z from 'zod';
import { leavesItsLine, mailboxesIn } from '../../messages/mailboxes.ts';
import { defineStep, StepError, type StepRun } from '../step.ts';
import { isTemplated, Template } from '../templates.ts';
import { plainMembers } from './members.ts';

const recipientsMax = 50;
const subjectCharactersMax = 998;

/** Addresses that are known already have to be addresses; those that templates make are looked at when they are made. */
const Addresses = Template.min(1).superRefine((text, context) => {
  const message = isTemplated(text) ? undefined : problemOf(text);
  if (message) context.addIssue({ code: 'custom', message });
});

const Config = z
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
    ...plainMembers,
  })
  .refine(({ html, text }) => html !== undefined || text !== undefined, {
    path: ['html'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Required: expected a body, as html or text or both',
  });
type Config = z.infer<typeof Config>;

export const sendEmailStep = defineStep({
  type: 'send-email',
  summary: 'Send an email through Amazon SES',
  config: Config,
  output: z.object({ messageId: z.string() }),
  effects: true,
  takesSecrets: false,
  permission: null,
  async run(step) {
    const { config, render, ports } = step;
    const [from, ...others] = addressesIn('from', [await render(config.from)]);
    if (!from || others.length > 0) throw new StepError('from has to be one email address');
    const to = await recipients(step);
    const subject = (await render(config.subject)).trim();
    if (!subject || subject.length > subjectCharactersMax || leavesItsLine(subject)) {
      throw new StepError(`subject has to be one line of 1 to ${subjectCharactersMax} characters`);
    }
    const [html, text] = [await render(config.html ?? ''), await render(config.text ?? '')];
    if (!html.trim() && !text.trim())
      throw new StepError('The email has no body: html and text came out blank');
    return { output: await ports.messages.email({ from, to, subject, html, text }) };
  },
});

async function recipients({ config, renderValue }: StepRun<Config>): Promise<string[]> {
  const filled = [await renderValue(config.to)].flat(2);
  const texts = filled.filter((each): each is string => typeof each === 'string');
  const to = addressesIn('to', texts);
  if (texts.length !== filled.length || to.length === 0) {
    throw new StepError('to has to be an email address, or a list of them');
  }
  if (to.length <= recipientsMax) return to;
  throw new StepError(`An email has ${recipientsMax} recipients at most; to names ${to.length}`);
}

function addressesIn(member: string, texts: string[]): string[] {
  try {
    return texts.flatMap(mailboxesIn);
  } catch (error) {
    throw new StepError(`${member}: ${(error as Error).message}`, { cause: error });
  }
}

function problemOf(text: string): string | undefined {
  try {
    return mailboxesIn(text).length > 0 ? undefined : 'Expected an email address';
  } catch (error) {
    return (error as Error).message;
  }
}
