import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { readBuiltinId } from '../../shared/domain/flows/steps/tool-reference.ts';
import { findBuiltinTool } from '../../shared/domain/tools/builtin/index.ts';
import { ToolExecution, toolExecutionStore } from '../../shared/domain/tools/tool-run-store.ts';
import { toolStore } from '../../shared/domain/tools/tool-store.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { AnyToolParams } from '../tools/schemas.ts';

const example = {
  id: 'toolrun_01k9m4v7d3x8qz5w2r6t0y1hbn',
  toolId: 'builtin:date-time',
  status: 'success',
  error: null,
  executionTimeMs: 12,
  startedAt: '2026-11-22T09:30:00.000Z',
  userId: 'ada',
  keyId: null,
  flowExecutionId: null,
  stepId: null,
} as const;

export const listToolExecutions = defineEndpoint({
  id: 'tool-runs.list',
  method: 'GET',
  path: '/v1/tools/{id}/executions',
  permission: 'TOOLS:READ',
  summary: 'List the executions of a tool',
  description:
    'Returns what POST /v1/tools/{id}/execute and /test ran in the last 30 days, newest first, those that run too. GET /v1/runs/{id} shows the arguments and the result. Calls by flows are part of their step results.',
  params: AnyToolParams,
  query: CursorQuery,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(ToolExecution.meta({ id: 'ToolExecution', examples: [example] })),
        pagination: CursorPagination,
      }),
    },
  },
  errors: [400, 404],
  needs: { tools: toolStore, executions: toolExecutionStore },

  async handle({ params: { id }, query }, { tools, executions }) {
    const builtinId = readBuiltinId(id);
    if (builtinId !== undefined && !findBuiltinTool(builtinId)) throw notFound('Tool');
    const [page] = await Promise.all([executions.list(id, query), builtinId === undefined && tools.get(id)]);
    return { data: page.executions, pagination: page.pagination };
  },
});

export const handler = toLambda(listToolExecutions);
