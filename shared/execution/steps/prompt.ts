import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import { messageText } from '../../domain/conversations/message.ts';
import { type Config, instructions as ofFormats, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';
import { askerOf } from './prompt/ask.ts';
import { attachedTo, earlierMessages } from './prompt/prompt-messages.ts';
import { openPromptTools } from './prompt/prompt-tools.ts';
import { parsed, unwrapped } from './prompt/response-text.ts';
import { structuredOutput } from './prompt/structured-output.ts';

export const prompt = defineStepRunner(promptStep, {
  async run(step) {
    const { config, render } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const { responseFormat: format = 'text' } = config;
    const { tools, warnings } = await openPromptTools(step);
    const messages = await messagesOf(step, resolvedPrompt, [instructionOf(format), ...warnings]);
    const ask = askerOf(step, tools);
    if (typeof format === 'object') {
      return { output: await structuredOutput(step, ask, messages, format.schema), resolvedPrompt };
    }
    const { text } = await ask(messages);
    return { output: format === 'json' ? parsed(text) : unwrapped(text, format), resolvedPrompt };
  },
});

async function messagesOf(
  step: StepRun<Config>,
  prompt: string,
  instructions: readonly (string | undefined)[],
): Promise<ModelMessage[]> {
  const { config, render, ports, signal } = step;
  const earlier = await earlierMessages(step);
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(messageText),
    ...instructions,
  ];
  return toModelMessages(
    ports,
    [
      { role: 'system', content: system.filter(Boolean).join('\n\n') },
      ...earlier.filter(({ role }) => role !== 'system'),
      { role: 'user', content: await attachedTo(step, prompt) },
    ],
    signal,
  );
}

const instructionOf = (format: NonNullable<Config['responseFormat']>) =>
  typeof format === 'string'
    ? ofFormats[format]
    : `${ofFormats.json} It must fit this JSON Schema: ${JSON.stringify(format.schema)}`;
