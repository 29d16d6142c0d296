import * as z from 'zod';
import { Warning } from '../../shared/core/warnings.ts';
import { type Run, runKinds, runStatuses } from '../../shared/domain/runs/run.ts';
import { RunTokens } from '../../shared/domain/runs/run-use.ts';
import { triggerTypes } from '../../shared/domain/runs/trigger-types.ts';
import { getRunDurationMs } from '../../shared/execution/listed-runs/run-filter.ts';

const text = z.string().nullable();

const usd = 'USD as decimal text';

export const runExample = {
  id: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
  kind: 'flow',
  name: 'Classify tickets',
  status: 'completed',
  stopReason: null,
  flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
  flowVersionId: 'flowver_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentId: null,
  agentVersionId: null,
  toolId: null,
  trigger: {
    type: 'api',
    productId: null,
    surfaceId: null,
    scheduleId: null,
    apiKeyId: 'key_01k9m4v7d3x8qz5w2r6t0y1hbn',
    clientTokenId: null,
    userId: 'ada',
  },
  parentRunId: null,
  rootRunId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
  forkedFrom: null,
  retryOf: null,
  retriedBy: [],
  startedAt: '2026-11-26T09:30:00.000Z',
  completedAt: '2026-11-26T09:30:01.240Z',
  durationMs: 1_240,
  totalCost: '0.00042',
  savedCost: null,
  cacheSavings: null,
  tokens: { input: 310, output: 24, cachedInput: 0, reasoning: 0 },
  counts: null,
  error: null,
  tags: ['nightly'],
  sessionId: null,
  warnings: [],
};

export const RunRow = z
  .object({
    id: z.string().meta({ description: '`batch_…`, `exec_…` (flows and agents) or `toolrun_…`' }),
    kind: z.enum(runKinds).meta({
      description: '`batch`: a flow on records. `flow`: a flow on one record or none',
    }),
    name: z.string().meta({ description: 'The name of the flow, agent or tool when the run started' }),
    status: z.enum(runStatuses).meta({
      description:
        '`scheduled`: no record of the batch has begun. `paused`: waits for a time, an approval or the output of a local tool',
    }),
    stopReason: text.meta({
      description:
        'Why an agent stopped: `end_turn`, `max_turns`, `max_cost`, `timeout`, `error` or `cancelled`. Null until the end, and for other kinds',
    }),
    flowId: text.meta({
      description:
        'Of a flow or a batch. An inline flow that is not saved gets an id that no stored flow has',
    }),
    flowVersionId: text,
    agentId: text.meta({ description: 'Of an agent; null for an inline one' }),
    agentVersionId: text.meta({ description: 'Null for a draft or an inline agent' }),
    toolId: text.meta({ description: 'Of a tool: `tool_…` or `builtin:<id>`' }),
    trigger: z
      .object({
        type: z.enum(triggerTypes).meta({
          description:
            '`api`: a call with an API key. `console`: a call with a session. `surface`: a call of an api surface. `client`: a visitor of a chat. `mcp`, `a2a`, `webhook`, `schedule`: a surface of that type. `run`: another run, see `parentRunId`. `recompute`: a call that runs a flow again where something changed',
        }),
        productId: text,
        surfaceId: text,
        scheduleId: text,
        apiKeyId: text.meta({ description: 'Null for a session and for a key of a surface' }),
        clientTokenId: text.meta({
          description: 'The token of the page whose chat started the run; null for other runs',
        }),
        userId: text.meta({ description: 'Who called, or whose API key it was. Null for keys of surfaces' }),
      })
      .meta({ description: 'What started the run' }),
    parentRunId: text.meta({ description: 'The run in which this one ran; null for one without' }),
    rootRunId: z.string().meta({ description: 'The outermost run around it, or its own id' }),
    forkedFrom: z
      .object({ runId: z.string(), stepId: z.string().optional(), turn: z.int().optional() })
      .nullable()
      .meta({
        description: 'The run that this one repeats from a step or a turn on. At present always null',
      }),
    retryOf: text.meta({ description: 'The run that this one repeats' }),
    retriedBy: z.array(z.string()).meta({ description: 'The runs that repeat this one, oldest first' }),
    startedAt: z.string().meta({ description: 'ISO 8601, in UTC' }),
    completedAt: text.meta({ description: 'Null until the end' }),
    durationMs: z.int().meta({ description: 'Of a run that has not ended: until now' }),
    totalCost: text.meta({
      description: `${usd}, with the runs inside; null until the end, and if a call has no known price`,
    }),
    savedCost: text.meta({
      description: `${usd} that results of earlier runs saved, which were taken over; null if none were`,
    }),
    cacheSavings: text.meta({
      description: `${usd} that caches of providers saved, with the runs inside; negative if writing to them cost more, null if none were used`,
    }),
    tokens: RunTokens.nullable().meta({
      description:
        'With the runs inside. `cachedInput` is part of `input`, `reasoning` of `output`. Null until the end, and for tools',
    }),
    counts: z
      .object({ total: z.int(), completed: z.int(), failed: z.int(), cancelled: z.int() })
      .nullable()
      .meta({ description: 'The records of a batch, while it runs too; null for other kinds' }),
    error: z
      .object({
        code: z.string().meta({
          description:
            '`RUN_FAILED` for flows and agents, `BATCH_FAILED` or `TOOL_FAILED`. More may be added',
        }),
        message: z.string().meta({ description: 'At most 500 characters' }),
      })
      .nullable()
      .meta({ description: 'Why the run failed; null unless it did' }),
    tags: z.array(z.string()).meta({ description: 'Those of the start; runs inside inherit them' }),
    sessionId: text.meta({ description: 'That of the start; runs inside inherit it' }),
    warnings: z.array(Warning).meta({
      description:
        'What went otherwise than asked, and did not fail; with the runs inside. At most 20 kinds, counted; empty until the end',
    }),
  })
  .meta({
    id: 'Run',
    examples: [runExample],
  });

/** The row of a run: what does not apply is null. */
export function toRunRow(run: Run, now = new Date()): z.input<typeof RunRow> {
  const { kind, trigger } = run;
  return {
    id: run.id,
    kind,
    name: run.name,
    status: run.status,
    stopReason: run.stopReason ?? null,
    flowId: run.flowId ?? null,
    flowVersionId: run.flowVersionId ?? null,
    agentId: run.agentId ?? null,
    agentVersionId: run.agentVersionId ?? null,
    toolId: run.toolId ?? null,
    trigger: {
      type: trigger.type,
      productId: trigger.productId ?? null,
      surfaceId: trigger.surfaceId ?? null,
      scheduleId: trigger.scheduleId ?? null,
      apiKeyId: trigger.apiKeyId ?? null,
      clientTokenId: run.clientTokenId ?? null,
      userId: trigger.userId ?? null,
    },
    parentRunId: run.parentRunId ?? null,
    rootRunId: run.rootRunId ?? run.id,
    forkedFrom: null,
    retryOf: run.retryOf ?? null,
    retriedBy: run.retriedBy ?? [],
    startedAt: run.startedAt,
    completedAt: run.completedAt ?? null,
    durationMs: getRunDurationMs(run, now),
    totalCost: run.totalCost ?? null,
    savedCost: run.savedCost ?? null,
    cacheSavings: run.cacheSavings ?? null,
    tokens: kind === 'tool' ? null : (run.tokens ?? null),
    counts: run.counts ?? null,
    error: run.error ?? null,
    tags: run.tags ?? [],
    sessionId: run.sessionId ?? null,
    warnings: run.warnings ?? [],
  };
}

/** The id of a run of any kind. */
export const RunParams = z.object({
  id: z
    .string()
    .regex(
      /^(batch|exec|toolrun)_[0-7][0-9a-z]{25}$/,
      'Expected the id of a run: batch_…, exec_… or toolrun_…',
    )
    .meta({ example: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn' }),
});

export const readsRuns = ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ'] as const;
export const executesRuns = ['FLOWS:EXECUTE', 'AGENTS:EXECUTE', 'TOOLS:EXECUTE'] as const;
export const writesRuns = ['FLOWS:WRITE', 'AGENTS:WRITE', 'TOOLS:WRITE'] as const;
