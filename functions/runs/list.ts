import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { type WarningCode, warningCodes } from '../../shared/core/warnings.ts';
import { ToolReference } from '../../shared/domain/flows/steps/tool-reference.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { runKinds, runStatuses } from '../../shared/domain/runs/run.ts';
import { triggerTypes } from '../../shared/domain/runs/trigger-types.ts';
import { runList } from '../../shared/execution/listed-runs/list-runs.ts';
import {
  checkRange,
  Flag,
  listOfNames,
  Moment,
  wholeNumber,
} from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RunParams, RunRow, readsRuns, toRunRow } from './schemas.ts';

const selective = 'Selective filter: a page may be short, with a nextCursor';

export const listRuns = defineEndpoint({
  id: 'runs.list',
  method: 'GET',
  path: '/v1/runs',
  permission: readsRuns,
  summary: 'List what ran',
  description: `Everything that was started as a whole, newest first: batches, flows, agents and tools. Shows the kinds whose flows, agents or tools the caller may read.

- Several filters combine with AND.
- A page costs at most 12 reads. With selective filters it may be short or even empty and still have a \`nextCursor\`: continue with it. \`error\`, \`q\`, \`minCost\` and \`minDurationMs\` read every run that matches the other filters.
- Runs inside of others (sub-agents, flows as tools) are listed when they have ended, with \`root=false\` or \`parentRunId\`. Cost and tokens include them.
- A run is deleted with its flow, agent or tool. Runs of tools, of inline flows without stored results and of inline agents expire 30 days after their start.`,
  query: z
    .object({
      kind: listOfNames(runKinds).optional(),
      status: listOfNames(runStatuses).optional(),
      trigger: listOfNames(triggerTypes).optional(),
      flowId: resourceId('flow').optional(),
      agentId: resourceId('agent').optional(),
      toolId: ToolReference.optional(),
      productId: resourceId('product').optional(),
      surfaceId: resourceId('surface').optional(),
      scheduleId: resourceId('schedule').optional().meta({ description: 'The schedule that started it' }),
      apiKeyId: resourceId('key')
        .optional()
        .meta({ description: 'The API key that started it. Keys of surfaces are not recorded' }),
      parentRunId: RunParams.shape.id
        .optional()
        .meta({ description: 'Lists the runs directly inside of this one' }),
      root: Flag.optional().meta({
        description: 'Whether to leave out runs inside of others. Default: true, unless parentRunId is sent',
      }),
      from: Moment.optional().meta({ description: 'Started at this time or later' }),
      to: Moment.optional().meta({ description: 'Started at this time or earlier' }),
      minDurationMs: wholeNumber(0, 1e12).optional().meta({ description: selective }),
      minCost: z
        .string()
        .regex(/^\d+(\.\d+)?$/, 'Expected USD as decimal text')
        .transform(Number)
        .optional()
        .meta({ description: `In USD. ${selective}` }),
      error: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: `A part of the message, case-insensitive. ${selective}` }),
      q: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .optional()
        .meta({
          description: `Words: each occurs in the name, the error or a tag, case-insensitive. ${selective}`,
        }),
      sessionId: z.string().min(1).max(128).optional().meta({
        description: 'The `sessionId` of the start: lists the runs of a conversation or a job of yours',
      }),
      tag: z.string().min(1).max(64).optional().meta({ description: 'One of the `tags` of the start' }),
      warning: z
        .enum(['any', ...Object.keys(warningCodes)] as ['any', ...WarningCode[]])
        .optional()
        .meta({ description: 'A code of their warnings, or `any`: runs that have some' }),
      limit: wholeNumber(1, 100).default(20).meta({ description: '1 to 100, default 20' }),
      cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
    })
    .check(checkRange),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(RunRow),
        pagination: z.object({
          nextCursor: z.string().nullable(),
          hasMore: z.boolean(),
          limit: z.int(),
        }),
      }),
    },
  },
  errors: [400],
  needs: { list: runList },

  async handle({ query, permissions }, { list }) {
    const { kind, status, trigger, root, limit, ...filter } = query;
    const allowed = listKinds(await permissions(), 'READ');
    const { runs, nextCursor } = await list({
      ...filter,
      kinds: allowed.filter((each) => kind?.includes(each) ?? true),
      statuses: status,
      triggers: trigger,
      root: root !== 'false',
      limit,
    });
    const pagination = { nextCursor, hasMore: nextCursor !== null, limit };
    return { data: runs.map((run) => toRunRow(run)), pagination };
  },
});

export const handler = toLambda(listRuns);
