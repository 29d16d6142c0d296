import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { isTimeZone } from '../../../core/time.ts';
import { ErrorHandling } from '../../flows/steps/error-handling.ts';
import { PromptCaching } from '../../model-configs/prompt-caching.ts';
import { samplingMembers } from './external-config.ts';
import { AgentTools } from './tools-config.ts';

const LoopConfig = z.strictObject({
  maxTurns: z.int().min(1).max(100).optional().meta({
    description: 'Responses of the model in a run. Default: 1, so an agent with tools needs more',
  }),
  maxCost: z.number().min(0).optional().meta({
    description:
      'USD, for the run and all agents inside of it together. A call whose worst case could exceed it is not made',
  }),
  enableReflection: z.boolean().optional().meta({
    description: 'Whether the model reviews its progress between turns',
  }),
  reflectionInterval: z.int().min(1).max(50).optional().meta({ description: 'In turns. Default: 5' }),
});

const Memory = z.strictObject({
  enabled: z.boolean(),
  injectSummary: z.boolean().optional().meta({
    description: 'Whether the system prompt begins with the summary of the memory. Default: true',
  }),
  profileTemplate: z.string().max(1_000).optional().meta({
    description:
      'A template with the name of the profile whose memory the run uses. Default: the user of the run (`_user.id`), who is the visitor in a chat, and the key on another surface. All callers of an agent share a profile without variables, and choose the profile if its name comes from `inputs`',
  }),
});

const Temporal = z.strictObject({
  groundNow: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the model is told the current time, with the last message' }),
  injectElapsed: z.boolean().optional().meta({
    description: 'Whether the model is told how long ago the last message was',
  }),
  elapsedThresholdSeconds: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Shorter times are not told. Default: 300' }),
  timezone: z.string().refine(isTimeZone, 'Expected an IANA time zone').optional().meta({
    description: 'Default: UTC',
  }),
});

const Voice = z.strictObject({
  enabled: z.boolean().optional(),
  provider: z.string().max(100).optional(),
  interruptionMode: z.enum(['none', 'cancel', 'barge-in']).optional(),
  elevenLabs: z
    .strictObject({
      voiceId: z.string().max(255).optional(),
      modelId: z.string().max(255).optional(),
      stability: z.number().min(0).max(1).optional(),
      similarity: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

export const AgentConfig = z
  .strictObject({
    model: nameUpTo(255).optional().meta({
      description:
        'The id of a model config, `default`, a model of the catalog, or `<provider>/<modelId>`. Default: `default`',
    }),
    systemPrompt: z.string().max(100_000).optional().meta({
      description:
        'A template; its variables are those of the run (`inputs`, `_user`, `_visitor`, `_execution`, `_agent`)',
    }),
    temperature: z.number().min(0).max(2).optional(),
    ...samplingMembers,
    promptCaching: PromptCaching.optional(),
    loopConfig: LoopConfig.optional(),
    tools: AgentTools.optional(),
    errorHandling: ErrorHandling.optional(),
    memory: Memory.optional(),
    temporal: Temporal.optional(),
    artifacts: z
      .strictObject({
        enabled: z.literal(true),
        types: z
          .array(z.enum(['markdown', 'component']))
          .min(1)
          .max(2),
      })
      .optional(),
    advisor: z
      .strictObject({ model: nameUpTo(255), systemPrompt: z.string().max(100_000).optional() })
      .nullable()
      .optional()
      .meta({ description: 'Gives the agent the tool ask_advisor, which asks another model' }),
    voice: Voice.optional().meta({ description: 'Stored for surfaces with a voice' }),
    loggingPolicy: z.enum(['default', 'on', 'off']).optional().meta({
      description: 'off: the messages, outputs and tool calls of a run are deleted when it ends',
    }),
  })
  .meta({ id: 'AgentConfigInput' });
export type AgentConfig = z.infer<typeof AgentConfig>;
