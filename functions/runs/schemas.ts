import * as z from 'zod';
import { type Run, runKinds, runStatuses } from '../../shared/domain/runs/run.ts';
import { triggerTypes } from '../../shared/domain/runs/run-origin.ts';
import { RunTokens } from '../../shared/domain/runs/run-use.ts';
import { durationOf } from '../../shared/execution/listed-runs/run-filter.ts';

const text = z.string().nullable();

export const RunRow = z
  .object({
    id: z.string(),
    kind: z.enum(runKinds),
    name: z.string(),
    status: z.enum(runStatuses),
    stopReason: text,
    flowId: text,
    flowVersionId: text,
    agentId: text,
    agentVersionId: text,
    toolId: text,
    trigger: z.object({
      type: z.enum(triggerTypes),
      productId: text,
      surfaceId: text,
      scheduleId: text,
      apiKeyId: text,
      userId: text,
    }),
    parentRunId: text,
    rootRunId: z.string(),
    forkedFrom: z
      .object({ runId: z.string(), stepId: z.string().optional(), turn: z.int().optional() })
      .nullable(),
    startedAt: z.string(),
    completedAt: text,
    durationMs: z.int().meta({ description: 'Of a run that has not ended: until now' }),
    totalCost: text.meta({
      description: 'USD with the runs inside; null until the end, and if a call has no known price',
    }),
    savedCost: text,
    tokens: RunTokens.nullable(),
    counts: z
      .object({ total: z.int(), completed: z.int(), failed: z.int(), cancelled: z.int() })
      .nullable()
      .meta({ description: 'The records of a batch' }),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    tags: z.array(z.string()),
    sessionId: text,
  })
  .meta({
    id: 'Run',
    examples: [
      {
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
          userId: 'ada',
        },
        parentRunId: null,
        rootRunId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        forkedFrom: null,
        startedAt: '2026-11-26T09:30:00.000Z',
        completedAt: '2026-11-26T09:30:01.240Z',
        durationMs: 1_240,
        totalCost: '0.00042',
        savedCost: null,
        tokens: { input: 310, output: 24, cachedInput: 0, reasoning: 0 },
        counts: null,
        error: null,
        tags: ['nightly'],
        sessionId: null,
      },
    ],
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
      userId: trigger.userId ?? null,
    },
    parentRunId: run.parentRunId ?? null,
    rootRunId: run.rootRunId ?? run.id,
    forkedFrom: null,
    startedAt: run.startedAt,
    completedAt: run.completedAt ?? null,
    durationMs: durationOf(run, now),
    totalCost: run.totalCost ?? null,
    savedCost: run.savedCost ?? null,
    tokens: kind === 'tool' ? null : (run.tokens ?? null),
    counts: run.counts ?? null,
    error: run.error ?? null,
    tags: run.tags ?? [],
    sessionId: run.sessionId ?? null,
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
