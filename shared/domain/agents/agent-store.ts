/**
 * Reads, lists, creates, changes and removes agents.
 *
 * A change is decided on the current agent and written if nobody else changed it meanwhile; what follows from it (which
 * secrets it uses, when its card is read again) is written in the same transaction. Removing writes a tombstone; versions and
 * runs are removed later by the clean-up. Callers check and complete contents first (`agent-editor.ts`); versions are in
 * `agent-versions.ts`.
 */

import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { type AnyEntity, decodeReadable } from '../../platform/data/entity.ts';
import { nameSearch } from '../../platform/data/lists/name-search.ts';
import { type CursorPagination, type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import { markUsed } from '../../platform/data/mark-used.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { createFirstDraft } from '../../platform/data/versions/version-kind.ts';
import type { Write } from '../../platform/data/writes.ts';
import { countFitting } from '../../platform/http/responses/body-sizes.ts';
import { assertFits } from '../content-size.ts';
import { flowEntity } from '../flows/flow.ts';
import { createSecretUseWrites } from '../flows/secret-keys.ts';
import { cardScheduleWrites } from './card-schedule.ts';
import {
  type Agent,
  type AgentContent,
  agentEntity,
  agentsPartition,
  toStoredContent,
} from './config/agent.ts';

export interface PrimaryFlow {
  id: string;
  name: string;
}

export type NewAgent = AgentContent &
  Pick<Agent, 'userId' | 'organizationId' | 'name' | 'description' | 'icon' | 'credentials'>;

export const agentFinder = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  find: (id: string): Promise<Agent> => table.find(agentEntity, { id }),

  list: (query: AgentListQuery) => readAgentPage(table, query),

  /** The agent's primary flow; null if it has none, or the flow is deleted. */
  async findPrimaryFlow({ primaryFlowId }: Pick<Agent, 'primaryFlowId'>): Promise<PrimaryFlow | null> {
    const flow = primaryFlowId === null ? undefined : await table.get(flowEntity, { id: primaryFlowId });
    return flow ? { id: flow.id, name: flow.name } : null;
  },
}));

const parts = [agentFinder, 'table:write', 'table:delete'] as const;

export const agentStore = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table, now, newId } = scope;

  /** Applies a change to the current agent atomically. Retries on concurrent writes, then throws 409. */
  async function change(
    id: string,
    decide: (before: Agent) => Promise<{ after: Agent; alsoWrite?: Write[] }>,
  ): Promise<Agent> {
    const decideWrite = async (before: Agent): Promise<Modification<typeof agentEntity>> => {
      const { after, alsoWrite = [] } = await decide(before);
      return {
        put: toItem(after),
        alsoWrite: [
          ...alsoWrite,
          ...createSecretUseWrites(table, id, before, after),
          ...cardScheduleWrites(table, id, { before, after, now: now() }),
        ],
      };
    };
    return table.change(agentEntity, { id }, decideWrite);
  }

  return {
    ...agentFinder(scope),
    change,

    /** @param id Of the new agent, from the scope's generator. */
    async create(id: string, input: NewAgent, alsoWrite: readonly Write[] = []): Promise<Agent> {
      const at = getIdCreatedAt(id);
      const agent: Agent = {
        ...input,
        id,
        search: input.name.toLowerCase(),
        status: 'active',
        capabilityCount: input.capabilities.length,
        ...createFirstDraft({ id: newId('agentver'), createdAt: at }),
        createdAt: at,
        updatedAt: at,
        lastRunAt: null,
        healthStatus: null,
        lastHealthCheckAt: null,
      };
      await table.commit([
        table.writes.insert(agentEntity, toItem(agent)),
        ...alsoWrite,
        ...createSecretUseWrites(table, id, {}, agent),
        ...cardScheduleWrites(table, id, { before: null, after: agent, now: now() }),
      ]);
      return agent;
    },

    /** Unreachable at once; a clean-up removes versions and executions. @param release Releases what is outside of the table. */
    async remove(id: string, release: (agent: Agent) => Promise<void>): Promise<void> {
      const decideRemoval = async (agent: Agent): Promise<Modification<typeof agentEntity>> => {
        await release(agent);
        return {
          remove: true,
          alsoWrite: [
            tombstoneWrite(scope, id),
            ...createSecretUseWrites(table, id, agent, {}),
            ...cardScheduleWrites(table, id, { before: agent, after: null, now: now() }),
          ],
        };
      };
      await table.change(agentEntity, { id }, decideRemoval);
    },

    markRun: (agent: Pick<Agent, 'id' | 'lastRunAt'>) => markUsed(scope, agentEntity, agent, 'lastRunAt'),
  };
});

/** @throws 400 if the agent does not fit an item of the table. */
function toItem(agent: Agent) {
  const item = toStoredContent(agent);
  const { config, externalConfig, vendorManagedConfig, capabilities } = item;
  assertFits('an agent', { config, externalConfig, vendorManagedConfig, capabilities });
  return item;
}

type AgentListQuery = CursorQuery & { search?: string | undefined };

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
async function readAgentPage(table: TenantTable, query: AgentListQuery): Promise<AgentPage> {
  const { rows, pagination } = await cursorPage(
    table,
    { partition: agentsPartition, index: 1, kind: 'agent', ...nameSearch(query.search) },
    query,
  );
  const agents = await loadAgents(table, rows as unknown as Pick<Agent, 'id' | 'primaryFlowId'>[]);
  const fitting = countFitting(agents);
  if (fitting === agents.length) return { agents, pagination };
  const shorter = await readAgentPage(table, { ...query, limit: fitting });
  return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
}

async function loadAgents(
  table: TenantTable,
  rows: readonly Pick<Agent, 'id' | 'primaryFlowId'>[],
): Promise<ListedAgent[]> {
  const flowIds = [...new Set(rows.flatMap(({ primaryFlowId }) => primaryFlowId ?? []))];
  const toKeys = (entity: AnyEntity, ids: readonly string[]) => ids.map((id) => entity.key({ id }));
  const ids = rows.map(({ id }) => id);
  const found = await table.getMany([...toKeys(agentEntity, ids), ...toKeys(flowEntity, flowIds)]);
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
