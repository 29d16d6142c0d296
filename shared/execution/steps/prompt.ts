import * as z from 'zod';
import { collect, type ModelMessage, type ModelResponse } from '../../adapters/model-port.ts';
import { jsonIn } from '../../core/json.ts';
import { StepError } from '../../core/step-error.ts';
import { type Config, instructions, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';

export const prompt = defineStepRunner(promptStep, {
  async run(step) {
    const { config, render } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const format = config.responseFormat ?? 'text';
    const messages = await messagesOf(step, resolvedPrompt, instructions[format]);
    const { text } = await answerOf(step, messages, format === 'json' ? 'json' : 'text');
    return {
      output: format === 'json' ? parsed(text) : unwrapped(text, format),
      resolvedPrompt,
    };
  },
});

/** Streams the text of the response, if somebody listens. */
async function answerOf(
  { config, ports, signal, emit }: StepRun<Config>,
  messages: readonly ModelMessage[],
  format: 'text' | 'json',
): Promise<ModelResponse> {
  const { model, temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  await emit?.({ type: 'text_start' });
  const events = ports.model.stream({
    model,
    messages,
    format: { type: format },
    settings: { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed },
    streamed: emit !== undefined,
    signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
  });
  const answer = await collect(events, (delta) => emit?.({ type: 'text_delta', delta }));
  await emit?.({ type: 'text_complete', text: answer.text });
  return answer;
}

async function messagesOf(
  { config, render, renderValue }: StepRun<Config>,
  prompt: string,
  instruction: string | undefined,
): Promise<ModelMessage[]> {
  const earlier = config.previousMessages ? messagesIn(await renderValue(config.previousMessages)) : [];
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(({ content }) => content),
    instruction,
  ].filter(Boolean);
  return [
    ...(system.length > 0 ? [{ role: 'system' as const, content: system.join('\n\n') }] : []),
    ...earlier.filter(({ role }) => role !== 'system'),
    { role: 'user', content: prompt },
  ];
}

const ContentPart = z.object({ type: z.literal('text'), text: z.string() });
const Messages = z.array(
  z.object({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([
      z.string(),
      z.array(ContentPart).transform((parts) => parts.map(({ text }) => text).join('\n')),
    ]),
  }),
);

function messagesIn(value: unknown): z.infer<typeof Messages> {
  if (value === null || value === '') return [];
  const messages = Messages.safeParse(typeof value === 'string' ? jsonIn(value) : value);
  if (messages.success) return messages.data;
  throw new StepError('previousMessages must name a list of messages {role, content} with text as content');
}

/** Removes the code fence that models often put around their response. */
function unwrapped(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)?.[1] ?? text;
}

function parsed(text: string): unknown {
  const value = jsonIn(unwrapped(text, 'json'));
  if (value !== undefined) return value;
  const start = text.trim().slice(0, 200);
  throw new StepError(`The model did not return JSON: ${start || 'an empty text'}`, { retryable: true });
}
