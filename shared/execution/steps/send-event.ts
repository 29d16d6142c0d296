import { StepError } from '../../core/errors/step-error.ts';
import { sendEventStep, typeCharactersMax } from '../../domain/flows/step-types/send-event.ts';
import { defineStepRunner } from '../step-support/step-runner.ts';

export const sendEvent = defineStepRunner(sendEventStep, {
  async run({ config, render, renderValue, ports }) {
    const type = (await render(config.eventType)).trim();
    if (!type || type.length > typeCharactersMax) {
      throw new StepError(`eventType must have 1 to ${typeCharactersMax} characters`);
    }
    const payload = await renderValue(config.payload ?? {});
    return { output: await ports.messages.event({ type, payload }) };
  },
});
