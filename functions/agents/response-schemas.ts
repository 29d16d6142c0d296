import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import type { PrimaryFlow } from '../../shared/domain/agents/agent-store.ts';
import { type Agent, agentStatuses, agentTypes } from '../../shared/domain/agents/config/agent.ts';
import { buildDashboardUrl, dashboardUrlText } from '../../shared/platform/http/dashboard-url.ts';

export const AgentParams = z.object({ id: resourceId('agent') });

const JsonObject = z.record(z.string(), z.unknown());

export const agentExample = {
  id: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
  userId: 'ada',
  organizationId: null,
  name: 'Airport guide',
  description: 'Answers questions about airports',
  icon: null,
  primaryFlowId: null,
  agentType: 'native',
  config: { model: 'gpt-5-mini', systemPrompt: 'You answer questions about airports.' },
  externalConfig: null,
  vendorManagedConfig: null,
  status: 'active',
  healthStatus: null,
  lastHealthCheckAt: null,
  publishedVersionId: null,
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:30:00.000Z',
} as const;

/** What every response with an agent has. */
export const AgentFields = {
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  icon: z.string().nullable(),
  primaryFlowId: z.string().nullable(),
  agentType: z.enum(agentTypes),
  config: JsonObject.nullable(),
  externalConfig: JsonObject.nullable(),
  vendorManagedConfig: JsonObject.nullable(),
  status: z.enum(agentStatuses),
  healthStatus: z.string().nullable(),
  lastHealthCheckAt: z.string().nullable(),
  publishedVersionId: z.string().nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
};

export const AgentCapabilityResponse = z
  .object({
    id: z.string(),
    agentId: z.string(),
    toolName: z.string(),
    toolDescription: z.string().nullable(),
    flowId: z.string().nullable(),
    subAgentId: z.string().nullable(),
    toolId: z.string().nullable(),
    parametersSchema: JsonObject.nullable(),
    enabled: z.boolean(),
    displayOrder: z.int(),
    createdAt: z.string(),
  })
  .meta({
    id: 'AgentCapability',
    examples: [
      {
        id: 'cap_01k9m4v7d3x8qz5w2r6t0y1hbn',
        agentId: agentExample.id,
        toolName: 'clock',
        toolDescription: 'Tells the time',
        flowId: null,
        subAgentId: null,
        toolId: 'builtin:date-time',
        parametersSchema: null,
        enabled: true,
        displayOrder: 0,
        createdAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });

const saved = {
  draftVersionId: z.string().nullable(),
  _warnings: z.array(z.string()).optional().meta({ description: 'Likely mistakes. The agent is saved' }),
};
const capabilities = z.array(AgentCapabilityResponse);
const linked = { dashboardUrl: z.string().meta({ description: dashboardUrlText }) };
const linkedExample = {
  ...agentExample,
  dashboardUrl: buildDashboardUrl('https://api.example.com', 'agents', agentExample.id),
};

export const AgentResponse = z
  .object({
    ...AgentFields,
    ...linked,
    primaryFlow: z.object({ id: z.string(), name: z.string() }).nullable(),
    capabilities,
  })
  .meta({ id: 'Agent', examples: [{ ...linkedExample, primaryFlow: null, capabilities: [] }] });

const savedExample = { ...linkedExample, draftVersionId: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn' };

export const CreatedAgentResponse = z
  .object({ ...AgentFields, ...linked, ...saved, capabilities })
  .meta({ id: 'CreatedAgent', examples: [{ ...savedExample, capabilities: [] }] });

export const UpdatedAgentResponse = z
  .object({ ...AgentFields, ...linked, ...saved })
  .meta({ id: 'UpdatedAgent', examples: [savedExample] });

/** @param primaryFlow Null if it is deleted. */
export const toAgentResponse = (agent: Agent, primaryFlow: PrimaryFlow | null, baseUrl: string) => ({
  ...agent,
  dashboardUrl: buildDashboardUrl(baseUrl, 'agents', agent.id),
  primaryFlow,
  primaryFlowId: primaryFlow?.id ?? null,
  capabilities: agent.capabilities.map((capability) => ({ ...capability, agentId: agent.id })),
  draftVersionId: agent.draft?.id ?? null,
});

/** The member that lists warnings, if there are any. */
export const warned = (warnings: string[]) => (warnings.length > 0 ? { _warnings: warnings } : {});
