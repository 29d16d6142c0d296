import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';
import { runLabelOptions } from '../../shared/domain/runs/run-origin.ts';
import { agentOptions, ClientTools } from '../../shared/execution/agent-runs/run-options.ts';

export const AgentRunParams = z.object({ id: resourceId('agent') });
export const ExecutionParams = AgentRunParams.extend({ executionId: resourceId('exec') });

export const streamResponse = z
  .boolean()
  .default(true)
  .meta({ description: 'true: server-sent events. false: one JSON response' });

const inputsMax = 1_000;

export const RunOptions = z.strictObject({
  streamResponse,
  ...agentOptions,
  ...runLabelOptions,
  modelOverride: nameUpTo(255).optional().meta({ description: 'The model instead of the agent’s' }),
});

const example = {
  messages: [{ role: 'user', content: 'Which airport of Kenya lies highest?' }],
  options: { streamResponse: false },
};

export const ExecuteBody = z
  .strictObject({
    messages: z.array(Message).min(1).max(1_000).meta({ description: 'The conversation so far' }),
    inputs: z
      .record(VariableName, z.unknown())
      .refine((inputs) => Object.keys(inputs).length <= inputsMax, `A run takes at most ${inputsMax} inputs`)
      .optional()
      .meta({ description: `Variables of the system prompt, at most ${inputsMax}` }),
    clientTools: ClientTools.optional(),
    options: RunOptions.prefault({}),
  })
  .meta({ examples: [example] });
export type ExecuteBody = z.output<typeof ExecuteBody>;
