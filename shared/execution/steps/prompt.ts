import * as z from 'zod';
import type { ModelAnswer, ModelRequest } from '../../adapters/ports.ts';
import { jsonIn } from '../../core/json.ts';
import { StepError } from '../../core/step-error.ts';
import { type Config, instructions, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';

export const prompt = defineStepRunner(promptStep, {
  async run(step) {
    const { config, render, signal } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const format = config.responseFormat ?? 'text';
    const request = await requestOf(step, resolvedPrompt, format);
    const { text, ...used } = await showing(step.emit, (onText) =>
      step.ports.model({
        ...request,
        onText,
        signal: AbortSignal.any([signal, AbortSignal.timeout(config.timeoutMs ?? 120_000)]),
      }),
    );
    return { output: format === 'json' ? parsed(text) : unwrapped(text, format), resolvedPrompt, ...used };
  },
});

/** Shows the text of an answer as it comes, where somebody listens. */
async function showing(
  emit: StepRun<Config>['emit'],
  ask: (onText?: ModelRequest['onText']) => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  if (!emit) return ask();
  await emit({ type: 'text_start' });
  const answer = await ask((delta) => emit({ type: 'text_delta', delta }));
  await emit({ type: 'text_complete', text: answer.text });
  return answer;
}

async function requestOf(
  { config, render, renderValue }: StepRun<Config>,
  prompt: string,
  format: keyof typeof instructions,
): Promise<Omit<ModelRequest, 'signal'>> {
  const { model, temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const earlier = config.previousMessages ? messagesIn(await renderValue(config.previousMessages)) : [];
  const spoken = earlier.filter((message) => message.role !== 'system');
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(({ content }) => content),
    instructions[format],
  ].filter(Boolean);
  return {
    model,
    ...(system.length > 0 && { system: system.join('\n\n') }),
    messages: [...(spoken as ModelRequest['messages']), { role: 'user', content: prompt }],
    format: format === 'json' ? 'json' : 'text',
    ...{ temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed },
  };
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
  throw new StepError('previousMessages has to name a list of messages with a role and a text as content');
}

/** Without the code fence that models like to put around what they were asked for. */
function unwrapped(text: string, format: string): string {
  if (format === 'text' || format === 'markdown') return text;
  return /^\s*```[\w-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text)?.[1] ?? text;
}

function parsed(text: string): unknown {
  const value = jsonIn(unwrapped(text, 'json'));
  if (value !== undefined) return value;
  const start = text.trim().slice(0, 200);
  throw new StepError(`The model answered no JSON: ${start || 'an empty text'}`, { retryable: true });
}
