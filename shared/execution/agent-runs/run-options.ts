import * as z from 'zod';
import { idOf } from '../../core/ids.ts';

/** The options of a run of an agent. */
export const agentOptions = {
  background: z.boolean().default(false).meta({
    description:
      'true: answers 202 with the id of the execution, which a worker runs. Follow it with GET …/executions/{executionId}/events',
  }),
  version: z
    .union([z.enum(['published', 'draft']), idOf('agentver')])
    .optional()
    .meta({
      description:
        'The version of a stored agent. Default: the published one, or the agent as it is if none is published; with a test key, the agent as it is',
    }),
  timeoutMs: z.int().min(1_000).max(3_600_000).optional().meta({
    description:
      'The time limit of a run of an agent, without the time that it waits for somebody. Default: ten minutes; in the background one hour. In front of a caller at most 14 minutes',
  }),
  previousMessageAt: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'When the message before the last one was sent, for agents that are told how long ago that was',
  }),
};
