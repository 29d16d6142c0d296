import { type AnyEntity, decodeReadable } from '../../platform/data/entity.ts';
import { nameSearch } from '../../platform/data/lists/name-search.ts';
import { type CursorPagination, type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/envelope.ts';
import { flowEntity } from '../flows/flow.ts';
import { type Agent, agentEntity, agentsPartition } from './config/agent.ts';

export type AgentListQuery = CursorQuery & { search?: string | undefined };

type ListedAgent = Pick<
  Agent,
  | 'id'
  | 'name'
  | 'description'
  | 'icon'
  | 'primaryFlowId'
  | 'config'
  | 'status'
  | 'createdAt'
  | 'updatedAt'
  | 'capabilityCount'
  | 'lastRunAt'
>;

interface AgentPage {
  agents: ListedAgent[];
  pagination: CursorPagination;
}

/** Newest first. Reads index entries, then the agents of the page and their primary flows, of which some may be deleted. */
export async function readAgentPage(table: TenantTable, query: AgentListQuery): Promise<AgentPage> {
  const { rows, pagination } = await cursorPage(
    table,
    { partition: agentsPartition, index: 1, kind: 'agent', ...nameSearch(query.search) },
    query,
  );
  const agents = await listed(table, rows as unknown as Pick<Agent, 'id' | 'primaryFlowId'>[]);
  const fitting = Math.min(
    takeWithinBytes(agents, responseBytesMax).length,
    takeWithinBytes(agents.toReversed(), responseBytesMax).length,
  );
  if (fitting === agents.length) return { agents, pagination };
  const shorter = await readAgentPage(table, { ...query, limit: fitting });
  return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
}

async function listed(
  table: TenantTable,
  rows: readonly Pick<Agent, 'id' | 'primaryFlowId'>[],
): Promise<ListedAgent[]> {
  const flowIds = [...new Set(rows.flatMap(({ primaryFlowId }) => primaryFlowId ?? []))];
  const keysOf = (entity: AnyEntity, ids: readonly string[]) => ids.map((id) => entity.key({ id }));
  const ids = rows.map(({ id }) => id);
  const found = await table.getMany([...keysOf(agentEntity, ids), ...keysOf(flowEntity, flowIds)]);
  const existing = new Set(flowIds.filter((_id, index) => found[rows.length + index]));
  return decodeReadable(agentEntity, found.slice(0, rows.length)).map(
    ({ primaryFlowId, ...agent }): ListedAgent => ({
      id: agent.id,
      name: agent.name,
      description: agent.description,
      icon: agent.icon,
      config: agent.config,
      status: agent.status,
      capabilityCount: agent.capabilityCount,
      createdAt: agent.createdAt,
      updatedAt: agent.updatedAt,
      lastRunAt: agent.lastRunAt,
      primaryFlowId: primaryFlowId && existing.has(primaryFlowId) ? primaryFlowId : null,
    }),
  );
}
