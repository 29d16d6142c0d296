import type { ModelMessage } from '../../adapters/model-port.ts';
import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import { textOf } from '../../domain/conversations/message.ts';
import { type Config, instructions, promptStep } from '../../domain/flows/step-types/prompt.ts';
import { toModelMessages } from '../model-input/to-model-messages.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';
import type { RunnableTool } from '../tools/runnable-tool.ts';
import { askerOf } from './prompt/ask.ts';
import { attachedTo, earlierMessages } from './prompt/prompt-messages.ts';
import { parsed, unwrapped } from './prompt/response-text.ts';
import { structuredOutput } from './prompt/structured-output.ts';

const loadTools = loadOnce(() => import('../tools/open-tools.ts'));

export const prompt = defineStepRunner(promptStep, {
  async run(step) {
    const { config, render } = step;
    const resolvedPrompt = await render(config.userPrompt ?? config.text ?? '');
    const { responseFormat: format = 'text' } = config;
    const messages = await messagesOf(step, resolvedPrompt, instructionOf(format));
    const ask = askerOf(step, await toolsOf(step));
    if (typeof format === 'object') {
      return { output: await structuredOutput(step, ask, messages, format.schema), resolvedPrompt };
    }
    const { text } = await ask(messages);
    return { output: format === 'json' ? parsed(text) : unwrapped(text, format), resolvedPrompt };
  },
});

async function toolsOf({ config, ports }: StepRun<Config>): Promise<RunnableTool[]> {
  if (!config.tools) return [];
  const { openTools } = await loadTools();
  // Permissions are checked when the flow is saved or, for an inline flow, before the run.
  const tools = await openTools(ports, config.tools.toolIds, { permissions: null });
  const local = tools.find(({ type }) => type === 'local');
  if (!local) return tools;
  throw new StepError(
    `The tool ${local.name} is run by the caller, for which a prompt cannot wait; use it in a step of the type tool-call`,
  );
}

async function messagesOf(
  step: StepRun<Config>,
  prompt: string,
  instruction: string | undefined,
): Promise<ModelMessage[]> {
  const { config, render, ports, signal } = step;
  const earlier = await earlierMessages(step);
  const system = [
    config.systemPrompt && (await render(config.systemPrompt)),
    ...earlier.filter(({ role }) => role === 'system').map(textOf),
    instruction,
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
    ? instructions[format]
    : `${instructions.json} It must fit this JSON Schema: ${JSON.stringify(format.schema)}`;
