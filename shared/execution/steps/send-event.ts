import { StepError } from '../../core/errors/step-error.ts';
import { sendEventStep, typeCharactersMax } from '../../domain/flows/step-types/send-event.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const sendEventRunner = defineActingRunner(sendEventStep, {
  async plan({ config, render, renderValue }) {
    const type = (await render(config.eventType)).trim();
    if (!type || type.length > typeCharactersMax) {
      throw new StepError(`eventType must have 1 to ${typeCharactersMax} characters`);
    }
    const payload = await renderValue(config.payload ?? {});
    return { request: { type, payload } };
  },

  perform: async (request, { ports, act }) => ({
    output: await act(request, () => ports.messages.event(request)),
  }),
});
