import { StepError } from '../../core/errors/step-error.ts';
import { type SendEmailConfig, sendEmailStep } from '../../domain/flows/step-types/send-email.ts';
import { checkEmail } from '../step-support/email.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';

export const sendEmailRunner = defineActingRunner(sendEmailStep, {
  async plan(step) {
    const { config, render } = step;
    const request = checkEmail({
      from: await render(config.from),
      to: await toRecipients(step),
      subject: await render(config.subject),
      html: await render(config.html ?? ''),
      text: await render(config.text ?? ''),
    });
    return { request };
  },

  perform: async (request, { ports, act }) => ({
    output: await act(request, () => ports.messages.email(request)),
  }),
});

async function toRecipients({ config, renderValue }: StepPlanning<SendEmailConfig>): Promise<string[]> {
  const filled = [await renderValue(config.to)].flat(2);
  const texts = filled.filter((each): each is string => typeof each === 'string');
  if (texts.length === filled.length) return texts;
  throw new StepError('to must be an email address or a list of email addresses');
}
