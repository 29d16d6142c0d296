import * as z from 'zod';
import { agentFinder } from '../../shared/domain/agents/agent-store.ts';
import { agentStatuses } from '../../shared/domain/agents/config/agent.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { agentExample } from './response-schemas.ts';

const AgentListItem = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    primaryFlowId: z.string().nullable(),
    config: z.record(z.string(), z.unknown()).nullable(),
    status: z.enum(agentStatuses),
    createdAt: z.string(),
    updatedAt: z.string(),
    capabilityCount: z.int(),
    lastRunAt: z.string().nullable(),
  })
  .meta({
    id: 'AgentListItem',
    examples: [
      {
        id: agentExample.id,
        name: agentExample.name,
        description: agentExample.description,
        icon: null,
        primaryFlowId: null,
        config: agentExample.config,
        status: 'active',
        createdAt: agentExample.createdAt,
        updatedAt: agentExample.updatedAt,
        capabilityCount: 1,
        lastRunAt: null,
      },
    ],
  });

export const listAgents = defineEndpoint({
  id: 'agents.list',
  method: 'GET',
  path: '/v1/agents',
  permission: 'AGENTS:READ',
  summary: 'List agents',
  description:
    'Returns agents newest first. `search` matches a part of the name, case-insensitively. A page holds up to 5 MB and may end early: continue with its cursor.',
  query: CursorQuery.extend({ search: z.string().max(255).optional() }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(AgentListItem), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { agents: agentFinder },

  async handle({ query }, { agents }) {
    const page = await agents.list(query);
    return { data: page.agents, pagination: page.pagination };
  },
});

export const handler = toLambda(listAgents);
