import { idCeiling, idFloor } from '../../core/ids.ts';
import { agentFinder } from '../../domain/agents/agent-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { type CursorQuery, cursorPage, onePage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  type AgentExecution,
  agentExecutionEntity,
  childrenPartition,
  runsOfAgentPartition,
} from './agent-execution.ts';

export interface ExecutionsQuery extends CursorQuery {
  status?: AgentExecution['status'] | undefined;
  surfaceType?: string | undefined;
  /** On the start. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** These two: of whatever agent. */
  parentExecutionId?: string | undefined;
  executionId?: string | undefined;
}

/** Lists the executions of an agent, newest first. */
export const agentExecutions = /* @__PURE__ */ using([agentFinder], (scope: Scope) => {
  const { table } = scope;

  /** @throws 404 if there is no such agent. */
  return async (agentId: string, query: ExecutionsQuery) => {
    await agentFinder(scope).find(agentId);
    const { executionId, parentExecutionId } = query;
    if (executionId) return toSinglePage(await table.get(agentExecutionEntity, { id: executionId }), query);
    const source = parentExecutionId
      ? ({ partition: childrenPartition(parentExecutionId), index: 2 } as const)
      : ({ partition: runsOfAgentPartition(agentId), index: 1 } as const);
    const filter = toFilter(query);
    return cursorPage(
      table,
      { ...source, kind: 'exec', ...(filter && { filter, passesMost: true }), ...toRange(query) },
      query,
    );
  };
});

/** The start is part of the id. */
const toRange = ({ from, to }: ExecutionsQuery) => ({
  ...(from && { from: idFloor('exec', from.getTime()) }),
  ...(to && { to: idCeiling('exec', to.getTime()) }),
});

function toFilter({ status, surfaceType }: ExecutionsQuery) {
  const wanted = Object.entries({ status, surfaceType }).filter(([, value]) => value !== undefined);
  if (wanted.length === 0) return undefined;
  return {
    expression: wanted.map(([name]) => `#summary.#${name} = :${name}`).join(' AND '),
    values: Object.fromEntries(wanted),
  };
}

const toSinglePage = (execution: AgentExecution | undefined, query: ExecutionsQuery) => {
  const rows = execution && matches(execution, query) ? [execution] : [];
  return { rows, pagination: onePage(rows.length, query) };
};

const matches = (
  { status, surfaceType, startedAt, parentExecutionId }: AgentExecution,
  query: ExecutionsQuery,
) =>
  (query.status ?? status) === status &&
  (query.surfaceType ?? surfaceType) === surfaceType &&
  (query.parentExecutionId ?? parentExecutionId) === parentExecutionId &&
  (!query.from || Date.parse(startedAt) >= query.from.getTime()) &&
  (!query.to || Date.parse(startedAt) <= query.to.getTime());
