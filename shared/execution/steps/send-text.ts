import { StepError } from '../../core/errors/step-error.ts';
import {
  compactNumber,
  expected,
  isPhoneNumber,
  isSender,
  sendTextStep,
  textMessageMax,
} from '../../domain/flows/step-types/send-text.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const sendTextRunner = defineActingRunner(sendTextStep, {
  async plan({ config, render }) {
    const from = config.from === undefined ? undefined : (await render(config.from)).trim();
    const to = await render(config.to);
    if (from !== undefined && !isSender(from)) throw new StepError(`from must be ${expected.from}`);
    if (!isPhoneNumber(to)) throw new StepError(`to must be ${expected.to}`);
    const message = await render(config.message);
    if (message.trim() === '' || message.length > textMessageMax) {
      throw new StepError(`message must have 1 to ${textMessageMax} characters; it has ${message.length}`);
    }
    return {
      request: {
        from: from && isPhoneNumber(from) ? compactNumber(from) : from,
        to: compactNumber(to),
        message,
      },
    };
  },

  perform: async (request, { ports, act }) => ({
    output: await act(request, () => ports.messages.sms(request)),
  }),
});
