import * as z from 'zod';
import { type ErrorDetail, invalid, toDetail } from '../../../core/errors/errors.ts';
import { decodeReadable, defineEntity } from '../../../platform/data/entity.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { isUnchanged } from '../../../platform/data/modify.ts';
import type { TenantTable } from '../../../platform/data/table.ts';
import { absent, type Write } from '../../../platform/data/writes.ts';
import { agentEntity } from '../config/agent.ts';

const agentsMax = 100;

/** Counts the links between a tenant's agents that were added, so that no two of them close a cycle together. */
const linksEntity = defineEntity({
  type: 'subAgentLinks',
  schema: z.object({ revision: z.int() }),
  key: () => ({ PK: tenantPartition('SUB-AGENTS'), SK: 'LINKS' }),
});

/** @returns a write, refused if another link was added meanwhile. @throws 400 if the agent would call itself, also indirectly. */
export async function createLinkWrite(
  table: TenantTable,
  agentId: string,
  subAgentId: string,
): Promise<Write> {
  // Read before the agents: a link that is added after it refuses the write.
  const links = await table.get(linksEntity, {}, { consistent: true });
  const problem = await findLinkProblem((ids) => readSubAgents(table, ids), agentId, subAgentId);
  if (problem) throw invalid([problem]);
  const next = { revision: (links?.revision ?? 0) + 1 };
  return table.writes.put(linksEntity, next, links ? isUnchanged(links) : absent);
}

/** The agents that agents call, as they are or will be. */
export type SubAgents = (agentIds: readonly string[]) => Promise<readonly string[]>;

export async function readSubAgents(table: TenantTable, agentIds: readonly string[]): Promise<string[]> {
  const keys = agentIds.map((id) => agentEntity.key({ id }));
  const items = await table.getMany(keys, { consistent: true });
  return decodeReadable(agentEntity, items).flatMap(({ capabilities }) =>
    capabilities.flatMap(({ subAgentId }) => subAgentId ?? []),
  );
}

/** Why an agent cannot call another one. */
export async function findLinkProblem(
  subAgentsOf: SubAgents,
  agentId: string,
  subAgentId: string,
): Promise<ErrorDetail | undefined> {
  const visited = new Set<string>();
  for (let level = [subAgentId]; level.length > 0; ) {
    if (level.includes(agentId)) return cycle;
    for (const id of level) visited.add(id);
    if (visited.size > agentsMax) return tooMany;
    level = [...new Set(await subAgentsOf(level))].filter((id) => !visited.has(id));
  }
  return undefined;
}

const cycle = toDetail(
  ['subAgentId'],
  'INVALID_VALUE',
  'The agent would call itself, directly or through other agents. Choose another sub-agent',
);

const tooMany = toDetail(
  ['subAgentId'],
  'TOO_BIG',
  `The sub-agent reaches more than ${agentsMax} agents. Use fewer`,
);
