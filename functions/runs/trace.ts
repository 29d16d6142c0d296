import * as z from 'zod';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { spanKinds, spanStatuses } from '../../shared/domain/runs/trace.ts';
import { runTrace } from '../../shared/execution/traces/run-trace.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { RunParams, readsRuns } from './schemas.ts';

const spanExample = {
  spanId: '5c1d2a7b9e3f4861',
  parentSpanId: '8f0b6a2d4c1e7395',
  name: 'chat gpt-5-mini',
  kind: 'model',
  status: 'ok',
  startedAt: '2026-11-26T08:15:30.412Z',
  endedAt: '2026-11-26T08:15:31.930Z',
  durationMs: 1_518,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5-mini',
    'gen_ai.usage.input_tokens': 412,
    'gen_ai.usage.output_tokens': 96,
  },
  events: [],
};

const Span = z
  .object({
    spanId: z.string().meta({ description: '16 hex digits, the same each time' }),
    parentSpanId: z.string().nullable().meta({
      description: 'The span around it. Of the first span: that of the `traceparent` of the start, or null',
    }),
    name: z.string(),
    kind: z.enum(spanKinds).meta({
      description:
        '`run`: the first span. `record`: a record of a batch. `step`. `attempt`: one of several of a step or a turn. `turn`: a response of the model of an agent, with its tool calls. `model`, `tool`: a call. `flow`, `agent`: a run inside. `wait`: for a time, an approval or another caller',
    }),
    status: z.enum(spanStatuses),
    startedAt: z.string().meta({ description: 'ISO 8601, in UTC' }),
    endedAt: z.string().nullable().meta({ description: 'Null while it goes on' }),
    durationMs: z.int().nullable().meta({ description: 'Null while it goes on' }),
    attributes: z.record(z.string(), z.unknown()).meta({
      description: 'Named as the GenAI conventions of OpenTelemetry name them',
    }),
    events: z
      .array(
        z.object({
          name: z.literal('warning'),
          at: z.string(),
          attributes: z.record(z.string(), z.unknown()),
        }),
      )
      .meta({
        description:
          'The warnings: `warning.code`, `warning.count`, with `include=content` `warning.message`',
      }),
  })
  .meta({ id: 'TraceSpan', examples: [spanExample] });

const Trace = z
  .object({
    traceId: z.string().meta({
      description: '32 hex digits: that of the `traceparent` of the start, or derived from the run',
    }),
    runId: z.string(),
    spans: z.array(Span).meta({ description: 'Parents before children, siblings by start; at most 5,000' }),
    truncated: z.boolean().meta({ description: 'Whether spans are left out' }),
  })
  .meta({
    id: 'Trace',
    examples: [
      {
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        runId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        spans: [spanExample],
        truncated: false,
      },
    ],
  });

export const getRunTrace = defineEndpoint({
  id: 'runs.trace',
  method: 'GET',
  path: '/v1/runs/{id}/trace',
  permission: readsRuns,
  summary: 'Get the trace of a run',
  description:
    'The spans of a run and of the runs inside of it. A batch shows its slowest, its failed and its latest records. Prompts, outputs and messages of errors are in it with `include=content` only. A caller sees the kinds of runs that it may read.',
  params: RunParams,
  query: z.object({
    include: z.enum(['content']).optional().meta({ description: 'Prompts, outputs and messages of errors' }),
  }),
  response: { kind: 'json', bodies: { 200: Trace } },
  errors: [400, 404],
  needs: { traceOf: runTrace },

  async handle({ params: { id }, query: { include }, permissions }, { traceOf }) {
    const kinds = listKinds(await permissions(), 'READ');
    return traceOf(id, { kinds, content: include === 'content' });
  },
});

export const handler = toLambda(getRunTrace);
