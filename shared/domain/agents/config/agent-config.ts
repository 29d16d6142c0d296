/**
 * The schema of a native agent's config: model and prompt, loop, tools, memory, time, approvals, sub-agents and code.
 * Members are strict, and their descriptions are those of the API's documentation. Missing members mean a default,
 * which the code that runs an agent applies (`execution/agent-runs`), so a stored config stays as it was sent.
 * Checks that need more than one member are in `checks/check-agent.ts`; `agent-editor.ts` validates with this schema.
 */
import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { isTimeZone } from '../../../core/time.ts';
import { ErrorHandling } from '../../flows/steps/error-handling.ts';
import { McpServer } from '../../flows/steps/mcp-server.ts';
import { RuntimeTool, ToolName } from '../../flows/steps/tool-reference.ts';
import { PromptCaching } from '../../model-configs/prompt-caching.ts';
import { samplingMembers } from './external-config.ts';

const timeoutMs = z.int().min(1_000).max(600_000);

/** The tools that sub-agents or code may use. */
const ToolPool = z
  .array(
    z.string().min(1).max(200).meta({
      description:
        'The id of a tool, the name of one of `runtimeTools`, or a tool of one of `mcpServers` as `mcp:<server>:<tool>` or `<server>__<tool>`',
    }),
  )
  .max(64);

const Approval = z.strictObject({
  require: z.union([z.boolean(), z.array(ToolName).max(128)]).meta({
    description: 'true: every call needs an approval. A list: calls of the tools with these names or ids do',
  }),
  timeout: z.number().positive().max(604_800_000).optional().meta({
    description:
      'How long a call waits for its approval, in milliseconds (a value under 1,000: in seconds). Then it is denied. Default: one day',
  }),
});

const SubagentConfig = z.strictObject({
  toolPool: ToolPool.meta({ description: 'The tools that the agent may give to a sub-agent' }),
  defaultModel: nameUpTo(255).optional().meta({ description: 'Default: the model of the agent' }),
  defaultMaxTurns: z.int().min(1).max(100).optional().meta({ description: 'Default: 10' }),
  maxTurnsLimit: z.int().min(1).max(100).optional().meta({ description: 'Default: 25' }),
  maxSpawnsPerRun: z.int().min(1).max(50).optional().meta({ description: 'Default: 10' }),
  allowNesting: z.boolean().optional().meta({
    description: 'Whether sub-agents may spawn sub-agents themselves. Default: false',
  }),
  defaultTimeoutMs: timeoutMs.optional().meta({ description: 'Default: 300,000' }),
});
export type SubagentConfig = z.infer<typeof SubagentConfig>;

const CodeModeConfig = z.strictObject({
  toolPool: ToolPool.min(1).meta({ description: 'The tools that the code may call' }),
  description: z.string().max(4_000).optional(),
  timeoutMs: timeoutMs.optional().meta({ description: 'Default: 60,000' }),
});
export type CodeModeConfig = z.infer<typeof CodeModeConfig>;

export const AgentTools = z.strictObject({
  toolIds: z.array(z.string().min(1).max(200)).max(64).optional().meta({
    description:
      'Stored tools `tool_…`, built-in ones `builtin:<id>`, tools of MCP servers `mcp:<server>:<tool>`',
  }),
  toolConfigs: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .meta({ description: 'Fixed arguments by the id of a tool: the model does not see them' }),
  maxToolCalls: z.int().min(1).max(5_000).optional().meta({
    description: 'Of a run. Default: 10. Calls of unknown tools and with invalid arguments count too',
  }),
  toolCallStrategy: z.enum(['auto', 'required', 'none']).optional().meta({
    description: 'Whether the first turn may, must or must not call a tool. Default: auto',
  }),
  perToolLimits: z
    .record(
      ToolName,
      z.strictObject({
        maxCalls: z.number().int().min(0).max(5_000).optional(),
        required: z.boolean().optional().meta({
          description: 'true: the agent does not answer before it has called the tool',
        }),
      }),
    )
    .optional()
    .meta({
      description:
        'By the name or the id of a tool. Also counts the calls of code together, and those of each spawned agent',
    }),
  approval: Approval.optional(),
  runtimeTools: z.array(RuntimeTool).max(64).optional(),
  mcpServers: z.array(McpServer).max(16).optional(),
  subagentConfig: SubagentConfig.optional().meta({
    description: 'Gives the agent the tool spawn_agent, which runs sub-agents that it defines itself',
  }),
  codeModeConfig: CodeModeConfig.optional().meta({
    description: 'Gives the agent the tool run_code, whose JavaScript calls tools in the sandbox',
  }),
});
export type AgentTools = z.infer<typeof AgentTools>;

const LoopConfig = z.strictObject({
  maxTurns: z.int().min(1).max(1_000).optional().meta({
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
