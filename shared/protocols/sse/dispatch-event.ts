import * as z from 'zod';

const count = z.int().optional();
const every = { executionId: z.string(), seq: z.int() };
const event = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
  description?: string,
) => z.object({ type: z.literal(type), ...every, ...shape }).meta({ id: nameOf(type), description });

/** The event's component in the API document: `step_start` is a `StepStartEvent`. */
const nameOf = (type: string) => `${type.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase())}Event`;

/** The position of a step: `index` is that of the top-level step, `path` includes the branches of conditionals. */
const place = { id: z.string(), name: z.string(), index: z.int(), path: z.string() };
const text = { id: z.string(), stepId: z.string() };
const tool = { toolCallId: z.string(), stepId: z.string() };

/** The events of a dispatched run. */
export const DispatchEvent = z
  .discriminatedUnion('type', [
    event('execution_start', {
      kind: z.literal('flow'),
      startedAt: z.string(),
      flowId: z.string(),
      flowName: z.string(),
      totalSteps: z.int(),
    }),
    event('step_start', {
      ...place,
      stepType: z.string(),
      totalSteps: z.int(),
      outputVariable: z.string().optional(),
      startedAt: z.string(),
    }),
    event('step_complete', {
      ...place,
      success: z.boolean(),
      result: z.unknown(),
      error: z.string().optional(),
      durationMs: z.int(),
      tokensUsed: count,
      cost: z.string().nullable().optional(),
      resolvedPrompt: z.string().optional(),
    }),
    event('step_skip', { ...place, when: z.string().optional(), skippedAt: z.string() }),
    event('text_start', { ...text, role: z.literal('assistant') }),
    event('text_delta', { ...text, delta: z.string() }),
    event('text_complete', { ...text, text: z.string() }),
    event('reasoning_start', text),
    event('reasoning_delta', { ...text, delta: z.string() }),
    event('reasoning_complete', { ...text, text: z.string() }),
    event('tool_start', { ...tool, toolName: z.string(), toolType: z.string() }),
    event('tool_input_delta', { ...tool, delta: z.string() }),
    event('tool_input_complete', { ...tool, parameters: z.unknown() }),
    event('tool_output_delta', { ...tool, delta: z.string() }),
    event('tool_complete', {
      ...tool,
      toolName: z.string(),
      success: z.boolean(),
      result: z.unknown().optional(),
      error: z.string().optional(),
      executionTime: z.int().meta({ description: 'Milliseconds' }),
    }),
    event('source', {
      stepId: z.string(),
      source: z.object({ id: z.string(), title: z.string().nullable(), url: z.string().nullable() }),
    }),
    event('custom', { stepId: z.string(), name: z.string(), value: z.unknown() }),
    event(
      'await',
      {
        awaitReason: z.enum(['wait', 'local_tool']),
        awaitedAt: z.string(),
        until: z.string().optional(),
        batchExecutionId: z.string().optional(),
        toolCallId: z.string().optional(),
        toolName: z.string().optional(),
        parameters: z.unknown().optional(),
      },
      'The last event of a run that waits. wait: the run continues at `until` as the batch of that id. local_tool: execute the tool and send its output to POST /v1/dispatch/resume',
    ),
    event('execution_complete', {
      kind: z.literal('flow'),
      success: z.boolean(),
      finalOutput: z.unknown(),
      error: z.string().optional(),
      totalCost: z.string().nullable(),
      totalTokens: z.object({ input: z.int(), output: z.int() }),
      totalSteps: z.int(),
      successfulSteps: z.int(),
      failedSteps: z.int(),
      durationMs: z.int(),
      completedAt: z.string(),
    }),
    event(
      'execution_error',
      {
        kind: z.literal('flow'),
        error: z.object({ code: z.enum(['TIMEOUT', 'INTERNAL']), message: z.string() }),
      },
      'The run was aborted by its time limit or by an internal error',
    ),
    event('ping', { timestamp: z.string() }),
  ])
  .meta({ id: 'DispatchEvent' });
export type DispatchEvent = z.infer<typeof DispatchEvent>;

/** An event without the members that every event has. */
export type EventBody = DispatchEvent extends infer E
  ? E extends DispatchEvent
    ? Omit<E, 'executionId' | 'seq'>
    : never
  : never;
