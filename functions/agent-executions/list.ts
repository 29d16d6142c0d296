import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { agentExecutions, executionStatuses } from '../../shared/execution/agent-runs/agent-execution.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { checkRange, Moment } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AgentRunParams } from '../agent-runs/schemas.ts';
import { ExecutionRow, toExecutionRow } from './schemas.ts';

export const listAgentExecutions = defineEndpoint({
  id: 'agent-executions.list',
  method: 'GET',
  path: '/v1/agents/{id}/executions',
  permission: 'AGENTS:READ',
  summary: 'List the executions of an agent',
  description:
    'Newest first. `from` and `to` are bounds of the start. `parentExecutionId` lists the executions inside of another one instead, and `executionId` the one with that id, of whatever agent.',
  params: AgentRunParams,
  query: CursorQuery.extend({
    status: z.enum(executionStatuses).optional(),
    surfaceType: z.string().max(50).optional(),
    from: Moment.optional().meta({ description: 'Started at this time or later' }),
    to: Moment.optional().meta({ description: 'Started at this time or earlier' }),
    parentExecutionId: resourceId('exec').optional(),
    executionId: resourceId('exec').optional(),
  }).check(checkRange),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(ExecutionRow), pagination: CursorPagination }) },
  },
  errors: [400, 404],
  needs: { list: agentExecutions },

  async handle({ params, query }, { list }) {
    const { rows, pagination } = await list(params.id, query);
    return {
      data: rows.map((row) => toExecutionRow(row as Parameters<typeof toExecutionRow>[0])),
      pagination,
    };
  },
});

export const handler = toLambda(listAgentExecutions);
