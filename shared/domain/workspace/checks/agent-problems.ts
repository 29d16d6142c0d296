import type { ErrorDetail } from '../../../core/errors/errors.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { linkProblem, type SubAgents, storedSubAgents } from '../../agents/checks/sub-agent-links.ts';
import type { Agent } from '../../agents/config/agent.ts';
import { connectionProblems, connectionsOfServers } from '../../mcp-connections/named-connections.ts';
import { agentsKind } from '../kinds/agents.ts';
import type { ResourceMembers } from '../kinds/kind.ts';
import type { ReplaceReference } from '../kinds/references.ts';
import type { NameBook } from '../names.ts';
import type { PlannedChange } from '../plan.ts';
import { isWritten } from '../written-nodes.ts';
import { placedIn } from './refused.ts';

/** Why agents cannot be saved: they would call themselves with the sub-agents of the document, or a connection does not fit. */
export async function agentProblems(
  scope: Scope,
  changes: readonly PlannedChange[],
  { book, toId }: { book: NameBook; toId: ReplaceReference },
): Promise<ErrorDetail[]> {
  const saved = changes.filter(({ kind, action }) => kind === 'agents' && action !== 'delete');
  const idOf = ({ name }: PlannedChange) => String(book.idOf('agents', name));
  const subAgentIn = (content: ResourceMembers) =>
    typeof content.subAgentId === 'string' ? toId('agents', content.subAgentId, []) : undefined;
  const called = new Map(
    saved.map((change) => {
      const { capabilities = [] } = change.node.after?.parts ?? {};
      return [idOf(change), capabilities.flatMap(({ content }) => subAgentIn(content) ?? [])] as const;
    }),
  );
  const subAgentsOf: SubAgents = async (ids) => [
    ...ids.flatMap((id) => called.get(id) ?? []),
    ...(await storedSubAgents(
      scope.table,
      ids.filter((id) => !called.has(id)),
    )),
  ];
  const ofLinks = saved.flatMap((change) =>
    (change.node.parts.capabilities ?? []).filter(isWritten).map(async (node) => {
      const subAgentId = subAgentIn(node.after?.content ?? {});
      const problem = subAgentId && (await linkProblem(subAgentsOf, idOf(change), subAgentId));
      return problem ? placedIn(node, [problem]) : [];
    }),
  );
  const ofConnections = saved.map(async ({ node }) => {
    const { before, after } = node;
    const named = connectionsOf(agentsKind.references(after?.content ?? {}, toId));
    const known = connectionsOf(before?.resource?.content ?? {});
    return placedIn(node, await connectionProblems(scope.table, named, known));
  });
  return (await Promise.all([...ofLinks, ...ofConnections])).flat();
}

const connectionsOf = ({ config }: ResourceMembers) =>
  connectionsOfServers((config as Agent['config'])?.tools?.mcpServers);
