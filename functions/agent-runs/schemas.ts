import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';

export const AgentParams = z.object({ id: idOf('agent') });

export const streamResponse = z
  .boolean()
  .default(true)
  .meta({ description: 'true: server-sent events. false: one JSON response' });

const inputsMax = 1_000;

export const RunOptions = z.strictObject({
  streamResponse,
  background: z.boolean().default(false).meta({
    description:
      'true: answers 202 with the id of the execution, which a worker runs. Follow it with GET …/executions/{executionId}/events',
  }),
  version: z
    .union([z.enum(['published', 'draft']), idOf('agentver')])
    .optional()
    .meta({
      description:
        'Default: the published version, or the agent as it is if none is published; with a test key, the agent as it is',
    }),
  modelOverride: nameUpTo(255).optional().meta({ description: 'The model instead of the agent’s' }),
  timeoutMs: z.int().min(1_000).max(3_600_000).optional().meta({
    description:
      'The time limit of the run, without the time that it waits for somebody. Default: ten minutes; in the background one hour. In front of a caller at most 14 minutes',
  }),
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
    options: RunOptions.prefault({}),
  })
  .meta({ examples: [example] });
export type ExecuteBody = z.output<typeof ExecuteBody>;
