import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { type AgentVersion, agentTypes } from '../../shared/domain/agents/config/agent.ts';

export const AgentVersionsParams = z.object({ agentId: resourceId('agent') });
export const AgentVersionParams = AgentVersionsParams.extend({ versionId: resourceId('agentver') });
export const AgentVersionType = z.enum(['published', 'draft', 'test', 'virtual']);

const JsonObject = z.record(z.string(), z.unknown());

export const AgentVersionResponse = z
  .object({
    id: z.string(),
    agentId: z.string(),
    versionNumber: z.int(),
    versionType: AgentVersionType,
    agentConfig: z
      .object({
        agentType: z.enum(agentTypes),
        primaryFlowId: z.string().nullable(),
        config: JsonObject.nullable(),
        externalConfig: JsonObject.nullable(),
        vendorManagedConfig: JsonObject.nullable(),
        capabilities: z.array(JsonObject),
      })
      .nullable(),
    label: z.string().nullable(),
    notes: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({
    id: 'AgentVersion',
    examples: [
      {
        id: 'agentver_01k9m4v7d3x8qz5w2r6t0y1hbn',
        agentId: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
        versionNumber: 1,
        versionType: 'published',
        agentConfig: {
          agentType: 'native',
          primaryFlowId: null,
          config: { model: 'gpt-5-mini' },
          externalConfig: null,
          vendorManagedConfig: null,
          capabilities: [],
        },
        label: null,
        notes: null,
        createdAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });

export const toAgentVersionResponse = ({ number, type, ...version }: AgentVersion) => ({
  ...version,
  versionNumber: number,
  versionType: type,
  agentConfig: version,
});
