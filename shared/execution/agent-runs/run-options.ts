import * as z from 'zod';
import { resourceId } from '../../core/ids.ts';
import { nameUpTo } from '../../core/name.ts';
import { JsonSchemaText } from '../../domain/flows/steps/common-config.ts';

export const agentOptions = {
  background: z.boolean().default(false).meta({
    description:
      'true: answers 202 with the id of the execution, which a worker runs. Follow it with GET …/executions/{executionId}/events',
  }),
  version: z
    .union([z.enum(['published', 'draft']), resourceId('agentver')])
    .optional()
    .meta({
      description:
        'The version of a stored agent. Default: the published one, or the agent as it is if none is published; with a test key, the agent as it is',
    }),
  timeoutMs: z.int().min(1_000).max(86_400_000).optional().meta({
    description:
      'The time limit of a run of an agent, without the time that it waits for somebody. Default: ten minutes; in the background one hour. At most 24 hours, and in front of a caller 14 minutes',
  }),
  responseFormat: z
    .strictObject({ type: z.literal('json'), schema: JsonSchemaText })
    .optional()
    .meta({ description: 'The answer is JSON that fits the schema. One that does not is corrected once' }),
  previousMessageAt: z.iso.datetime({ offset: true }).optional().meta({
    description:
      'When the message before the last one was sent, for agents that are told how long ago that was',
  }),
};

/** The tools of the caller of a run: the run waits for their outputs. */
export const ClientTools = z
  .array(
    z.strictObject({
      name: nameUpTo(100),
      description: z.string().max(4_000),
      parametersSchema: JsonSchemaText,
    }),
  )
  .max(64)
  .meta({ description: 'Tools that you execute: when the agent calls one, the run pauses until resume' });
