import { hasControlCharacters, parseMailboxes } from '../../adapters/messages/mailboxes.ts';
import { StepError } from '../../core/step-error.ts';
import { type Config, recipientsMax, sendEmailStep } from '../../domain/flows/step-types/send-email.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';

const subjectCharactersMax = 998;

export const sendEmail = defineStepRunner(sendEmailStep, {
  async run(step) {
    const { config, render, ports } = step;
    const [from, ...others] = addressesIn('from', [await render(config.from)]);
    if (!from || others.length > 0) throw new StepError('from must be one email address');
    const to = await recipients(step);
    const subject = (await render(config.subject)).trim();
    if (!subject || subject.length > subjectCharactersMax || hasControlCharacters(subject)) {
      throw new StepError(`subject must be one line of 1 to ${subjectCharactersMax} characters`);
    }
    const [html, text] = [await render(config.html ?? ''), await render(config.text ?? '')];
    if (!html.trim() && !text.trim())
      throw new StepError('The email has no body: html and text are both blank');
    return { output: await ports.messages.email({ from, to, subject, html, text }) };
  },
});

async function recipients({ config, renderValue }: StepRun<Config>): Promise<string[]> {
  const filled = [await renderValue(config.to)].flat(2);
  const texts = filled.filter((each): each is string => typeof each === 'string');
  const to = addressesIn('to', texts);
  if (texts.length !== filled.length || to.length === 0) {
    throw new StepError('to must be an email address or a list of email addresses');
  }
  if (to.length <= recipientsMax) return to;
  throw new StepError(`An email has at most ${recipientsMax} recipients; to has ${to.length}`);
}

function addressesIn(member: string, texts: string[]): string[] {
  try {
    return texts.flatMap(parseMailboxes);
  } catch (error) {
    throw new StepError(`${member}: ${(error as Error).message}`, { cause: error });
  }
}
