import type { ModelMessage, ModelReasoning, ModelSettings } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { omitUndefined } from '../../core/defined.ts';
import { type Message, messageText } from '../../domain/conversations/message.ts';
import { formatInstructions, type PromptConfig, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { toModelReasoning } from '../../domain/flows/steps/reasoning.ts';
import { toModelMessages } from '../model-calls/to-model-messages.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';
import {
  addAttachments,
  createAsker,
  openPromptTools,
  parseResponseJson,
  parseStructuredOutput,
  planTools,
  readEarlierMessages,
  unwrapText,
} from './prompt/ask.ts';

export const promptRunner = defineActingRunner(promptStep, {
  async plan(step) {
    const { config, render } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const { model, responseFormat: format = 'text' } = config;
    const { system, messages } = await toMessages(step, resolvedPrompt, toInstruction(format));
    const tools = await planTools(step);
    const request = {
      model,
      system,
      messages,
      resolvedPrompt,
      format,
      ...promptSettings(config),
      ...(tools && { tools }),
    };
    return { request, models: [model] };
  },

  async perform(request, step) {
    const { format, resolvedPrompt } = request;
    const { tools, warnings } = await openPromptTools(request.tools, step);
    const messages = await toPromptMessages(step, request, warnings);
    const asker = createAsker(request, step, tools);
    if (typeof format === 'object') {
      return { output: await parseStructuredOutput(step, asker, messages, format.schema), resolvedPrompt };
    }
    const text = await asker.ask(messages);
    return {
      output: format === 'json' ? parseResponseJson(text, step.ports) : unwrapText(text, format),
      resolvedPrompt,
    };
  },
});

async function toMessages(
  step: StepPlanning<PromptConfig>,
  prompt: string,
  instruction: string | undefined,
): Promise<{ system: string[]; messages: Message[] }> {
  const { config, render } = step;
  const earlier = await readEarlierMessages(step);
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(messageText),
    instruction,
  ];
  return {
    system: system.filter((text) => text !== undefined).filter(Boolean),
    messages: [
      ...earlier.filter(({ role }) => role !== 'system'),
      { role: 'user', content: await addAttachments(step, prompt) },
    ],
  };
}

const toPromptMessages = (
  { ports, signal }: { ports: Ports; signal: AbortSignal },
  { system, messages }: { system: readonly string[]; messages: readonly Message[] },
  warnings: readonly string[],
): Promise<ModelMessage[]> =>
  toModelMessages(
    ports,
    [{ role: 'system', content: [...system, ...warnings].join('\n\n') }, ...messages],
    signal,
  );

const toInstruction = (format: NonNullable<PromptConfig['responseFormat']>) =>
  typeof format === 'string'
    ? formatInstructions[format]
    : `${formatInstructions.json} It must fit this JSON Schema: ${JSON.stringify(format.schema)}`;

/** How the model writes its response. */
function promptSettings(config: PromptConfig): {
  settings: ModelSettings;
  reasoning?: ModelReasoning;
} {
  const { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const reasoning = toModelReasoning(config.reasoning);
  return {
    settings: omitUndefined({ temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed }),
    ...(reasoning && { reasoning }),
  };
}
