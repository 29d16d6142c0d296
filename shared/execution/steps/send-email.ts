import { StepError } from '../../core/errors/step-error.ts';
import { type Config, sendEmailStep } from '../../domain/flows/step-types/send-email.ts';
import { checkedEmail } from '../step-support/email.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';

export const sendEmail = defineStepRunner(sendEmailStep, {
  async run(step) {
    const { config, render, ports } = step;
    const email = checkedEmail({
      from: await render(config.from),
      to: await recipients(step),
      subject: await render(config.subject),
      html: await render(config.html ?? ''),
      text: await render(config.text ?? ''),
    });
    return { output: await ports.messages.email(email) };
  },
});

async function recipients({ config, renderValue }: StepRun<Config>): Promise<string[]> {
  const filled = [await renderValue(config.to)].flat(2);
  const texts = filled.filter((each): each is string => typeof each === 'string');
  if (texts.length === filled.length) return texts;
  throw new StepError('to must be an email address or a list of email addresses');
}
