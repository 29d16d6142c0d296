import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { kindsWith } from '../../shared/domain/runs/kind-permissions.ts';
import { runKinds, runStatuses } from '../../shared/domain/runs/run.ts';
import { triggerTypes } from '../../shared/domain/runs/run-origin.ts';
import { runList } from '../../shared/execution/listed-runs/list-runs.ts';
import { Moment, wholeNumber } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RunParams, RunRow, readsRuns, toRunRow } from './schemas.ts';

/** Some of these names, separated by commas. */
const some = <const Name extends string>(names: readonly Name[]) =>
  z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(names)))
    .meta({ description: `Some of ${names.join(', ')}, separated by commas` });

const rare = 'Seldom met, so that a page may end early, with a nextCursor';

export const listRuns = defineEndpoint({
  id: 'runs.list',
  method: 'GET',
  path: '/v1/runs',
  permission: readsRuns,
  summary: 'List what ran',
  description: `Everything that was started as a whole, newest first: batches, flows, agents and tools. Shows the kinds whose flows, agents or tools the caller may read.

- Several filters combine with AND. \`from\` and \`to\` are bounds of the start.
- A page costs at most 12 reads. With filters that few runs meet it may be short or even empty and still have a \`nextCursor\`: go on with it. \`error\`, \`minCost\` and \`minDurationMs\` read every run that the other filters leave.
- Runs inside of others (sub-agents, flows as tools) are listed when they have ended, with \`root=false\` or \`parentRunId\`. Cost and tokens include them.
- A run is deleted with its flow or agent; a run of a tool after 30 days.`,
  query: z.object({
    kind: some(runKinds).optional(),
    status: some(runStatuses).optional(),
    trigger: some(triggerTypes).optional(),
    flowId: idOf('flow').optional(),
    agentId: idOf('agent').optional(),
    toolId: z.string().max(200).optional(),
    productId: idOf('product').optional(),
    surfaceId: idOf('surface').optional(),
    scheduleId: idOf('schedule').optional(),
    apiKeyId: idOf('key').optional(),
    parentRunId: RunParams.shape.id.optional(),
    root: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Default: true, unless parentRunId is sent' }),
    from: Moment.optional(),
    to: Moment.optional(),
    minDurationMs: wholeNumber(0, 1e12).optional().meta({ description: rare }),
    minCost: z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'Expected USD as decimal text')
      .transform(Number)
      .optional()
      .meta({ description: `In USD. ${rare}` }),
    error: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: `A part of the message. ${rare}` }),
    sessionId: z.string().min(1).max(128).optional(),
    tag: z.string().min(1).max(64).optional(),
    limit: wholeNumber(1, 100).default(20).meta({ description: '1 to 100, default 20' }),
    cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
  }),
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
    const allowed = kindsWith(await permissions(), 'READ');
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
