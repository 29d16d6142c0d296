/**
 * The schemas of agents that run elsewhere: external ones, called by A2A, and those that their vendor runs, which are
 * stored only.
 * Credentials are write-only: they are taken out of the config before it is stored (`credentials/`), and `configured`
 * shows that there are some. The cached card is what the service keeps of the agent's own card; `external-card.ts`
 * refreshes it.
 * `agent-config.ts` has the schema of native agents, which shares `samplingMembers` with the orchestrator of an
 * external one; `agent-editor.ts` validates with all of them.
 */
import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { ServerUrl } from '../../flows/steps/http-config.ts';
import { Reasoning } from '../../flows/steps/reasoning.ts';

export const samplingMembers = {
  topP: z.number().min(0).max(1).optional(),
  topK: z.int().min(1).max(500).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  seed: z.int().optional(),
  reasoning: Reasoning.optional(),
};

const JsonObject = z.record(z.string(), z.unknown());

const Skill = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  inputSchema: JsonObject.optional(),
  outputSchema: JsonObject.optional(),
});
export type Skill = z.infer<typeof Skill>;

/** What the service keeps of the card of an external agent. */
export const CachedAgentCard = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  version: z.string().optional(),
  url: z.string().optional(),
  protocolBinding: z.string().optional(),
  protocolVersion: z.string().optional(),
  fetchedAt: z.string().optional(),
  capabilities: z
    .object({
      streaming: z.boolean().optional(),
      pushNotifications: z.boolean().optional(),
      statefulness: z.enum(['none', 'task', 'session']).optional(),
    })
    .optional(),
  skills: z.array(Skill).max(500).optional(),
});
export type CachedAgentCard = z.infer<typeof CachedAgentCard>;

const skillRoles = ['orchestrator', 'tool', 'standalone', 'hidden'] as const;

const SkillOverride = z.strictObject({
  id: z.string().min(1).max(255),
  enabled: z.boolean(),
  role: z.enum(skillRoles).optional(),
  exposedName: nameUpTo(100).optional(),
  exposedDescription: z.string().max(4_000).optional(),
  isNew: z.boolean().optional(),
});

const SkillOrchestrator = z.strictObject({
  model: nameUpTo(255),
  systemPrompt: z.string().max(100_000).optional(),
  temperature: z.number().min(0).max(1).optional(),
  ...samplingMembers,
});

/** An agent that another server runs, called by the A2A protocol. */
export const ExternalConfig = z
  .strictObject({
    endpoint: ServerUrl.optional().meta({ description: 'Required unless agentCardUrl is given' }),
    agentCardUrl: ServerUrl.optional(),
    refreshIntervalMinutes: z.int().min(5).max(43_200).optional().meta({
      description: 'How often the service fetches the card anew. Default: never',
    }),
    auth: z
      .strictObject({
        type: z.enum(['none', 'bearer', 'api_key', 'basic']),
        credentials: z
          .string()
          .min(1)
          .max(10_000)
          .optional()
          .meta({ description: 'Write-only, or with `{{secret:KEY}}`. For basic: `<user>:<password>`' }),
        configured: z.boolean().optional().meta({
          description: 'Whether credentials are stored, in responses. In requests, false removes them',
        }),
        headerName: z
          .string()
          .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'Expected the name of an HTTP header')
          .optional()
          .meta({ description: 'For api_key. Default: X-API-Key' }),
      })
      .optional(),
    framework: z.enum(['langchain', 'vercel_ai', 'crewai', 'cloudflare', 'autogen', 'custom']).optional(),
    timeoutMs: z.int().min(1_000).max(300_000).optional().meta({ description: 'Default: 60,000' }),
    retryCount: z.int().min(0).max(10).optional().meta({ description: 'Default: 2' }),
    skillOrchestration: z.enum(['delegate', 'managed', 'agent_skill', 'native', 'none']).optional(),
    skillOrchestrator: SkillOrchestrator.optional(),
    skillsOverride: z.array(SkillOverride).max(500).optional(),
    cachedAgentCard: CachedAgentCard.optional(),
  })
  .meta({ id: 'ExternalAgentConfig' });
export type ExternalConfig = z.infer<typeof ExternalConfig>;

const flag = z.boolean().optional();

/** An agent that its vendor runs. It can be stored, not run. */
export const VendorManagedConfig = z
  .strictObject({
    setupMode: z.enum(['create', 'connect']),
    anthropicAgentId: z.string().min(1).max(255).optional(),
    anthropicAgentVersion: z.int().optional(),
    anthropicEnvironmentId: z.string().max(255).optional(),
    model: z.string().max(255).optional(),
    systemPrompt: z.string().max(100_000).optional(),
    timeoutMs: z.int().min(10_000).max(600_000).optional(),
    toolPermissions: z
      .strictObject({
        bash: flag,
        edit: flag,
        glob: flag,
        grep: flag,
        read: flag,
        write: flag,
        webFetch: flag,
        webSearch: flag,
      })
      .optional(),
    mcpServers: z
      .array(
        z.strictObject({
          url: ServerUrl,
          name: z.string().max(255).optional(),
        }),
      )
      .max(16)
      .optional(),
    customTools: z
      .array(
        z.strictObject({
          capabilityId: z.string().max(255),
          toolName: z.string().min(1).max(100),
          toolDescription: z.string().max(4_000),
          parametersSchema: JsonObject.optional(),
        }),
      )
      .max(64)
      .optional(),
    cachedAgentInfo: z
      .strictObject({
        name: z.string().max(1_000).optional(),
        description: z.string().max(10_000).optional(),
        model: z.string().max(255).optional(),
        version: z.number().optional(),
        fetchedAt: z.string().max(100).optional(),
        tools: z
          .array(z.strictObject({ type: z.string().max(255), name: z.string().max(255).optional() }))
          .max(128)
          .optional(),
      })
      .optional(),
  })
  .meta({ id: 'VendorManagedAgentConfig' });
export type VendorManagedConfig = z.infer<typeof VendorManagedConfig>;
