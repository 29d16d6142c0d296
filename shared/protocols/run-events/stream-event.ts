/**
 * The schemas of the public events of a run, of flows and agents alike.
 * They are the API's contract: each is a component of the API document by its type, and is only ever extended. The exported
 * schemas are those that callers of a surface get too (`chat/events/client-event.ts`). `flow-events.ts` writes
 * them.
 */
import * as z from 'zod';
import { Warning } from '../../core/warnings.ts';
import { Attempt, attemptsDescription } from '../../domain/flows/steps/attempt.ts';
import { WaitView } from '../../domain/run-waits/run-wait.ts';
import { errorCodeText, TokenCounts } from '../json/dispatch-result.ts';

const count = z.int().optional();
const every = { executionId: z.string(), seq: z.int() };
const event = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
  description?: string,
) => z.object({ type: z.literal(type), ...every, ...shape }).meta({ id: toComponentName(type), description });

/** The event's component in the API document: `step_start` is a `StepStartEvent`. */
const toComponentName = (type: string) =>
  `${type.replace(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase())}Event`;

const shownPlace = {
  stepPath: z.string().optional().meta({
    description:
      'The ids of the steps around it and its own, joined by `/`: `each[3]/ask` in the fourth item of a map, `retry[0]/ask` in the first pass of a loop, `both/left/ask` in a branch',
  }),
  itemIndex: z.int().optional().meta({ description: 'The item of the innermost map around it, from 0' }),
};
const place = {
  id: z.string(),
  name: z.string(),
  index: z.int().meta({ description: 'Of the step of the flow in which it is' }),
  path: z.string().meta({ description: 'A name for its place in the run' }),
  ...shownPlace,
};
/** What an event is a part of: a step of a flow, or a turn of an agent. */
const part = { stepId: z.string().optional(), ...shownPlace, turnId: z.string().optional() };
const text = { id: z.string(), ...part };
const tool = { toolCallId: z.string(), ...part };
const attempts = z.array(Attempt).optional().meta({ description: attemptsDescription });
const kind = z.enum(['flow', 'agent']);
const code = z.string().optional().meta({ description: errorCodeText });

// Those that callers of a surface get too.
export const executionStart = event('execution_start', {
  kind,
  startedAt: z.string(),
  flowId: z.string().optional(),
  flowName: z.string().optional(),
  totalSteps: count,
  agentId: z.string().nullable().optional(),
  agentName: z.string().optional(),
  maxTurns: count,
});
export const textStart = event('text_start', { ...text, role: z.literal('assistant') });
export const textDelta = event('text_delta', { ...text, delta: z.string() });
export const textComplete = event('text_complete', { ...text, text: z.string() });
export const awaitEvent = event(
  'await',
  {
    awaitReason: z.enum(['wait', 'local_tool', 'approval']),
    awaitedAt: z.string(),
    until: z.string().optional(),
    batchExecutionId: z.string().optional(),
    waits: z
      .array(WaitView)
      .optional()
      .meta({ description: 'The approvals and callbacks that continue the run earlier' }),
    toolCallId: z.string().optional(),
    approvalId: z.string().optional(),
    runId: z.string().optional().meta({ description: 'The run inside of an agent that waits' }),
    toolName: z.string().optional(),
    parameters: z.unknown().optional(),
  },
  'The last event of a run that waits. wait: the run continues at `until` as the batch of that id, or when the run inside of it has ended. local_tool: execute the tool and send its output to resume. approval: allow or deny the call with approve',
);
export const executionComplete = event('execution_complete', {
  kind,
  success: z.boolean(),
  finalOutput: z.unknown(),
  error: z.string().optional(),
  code,
  iterations: count,
  stopReason: z.string().optional(),
  totalCost: z.string().nullable(),
  totalTokens: TokenCounts,
  totalSteps: count,
  successfulSteps: count,
  failedSteps: count,
  durationMs: z.int(),
  completedAt: z.string(),
  warnings: z.array(Warning).optional().meta({ description: 'Those of the whole run, if there are any' }),
  attempts: attempts.meta({
    description: `Of the response of the model that failed. ${attemptsDescription}`,
  }),
});
export const executionError = event(
  'execution_error',
  {
    kind,
    error: z.object({ code: z.enum(['TIMEOUT', 'CANCELLED', 'INTERNAL']), message: z.string() }),
  },
  'The run was aborted by its time limit or by an internal error',
);
export const pingEvent = event('ping', { timestamp: z.string() });

export const StreamEvent = z
  .discriminatedUnion('type', [
    executionStart,
    event('turn_start', { id: z.string(), role: z.literal('assistant'), iteration: z.int() }),
    event('turn_complete', {
      id: z.string(),
      role: z.literal('assistant'),
      iteration: z.int(),
      content: z.string(),
      tokens: TokenCounts,
      cost: z.string().nullable(),
      stopReason: z.enum([
        'end_turn',
        'tool_calls',
        'max_tool_calls',
        'length',
        'content_filter',
        'error',
        'unknown',
      ]),
      fallback: z.string().optional(),
      attempts,
      success: z.literal(false).optional().meta({ description: 'Of a turn without a response' }),
      error: z.string().optional(),
      completedAt: z.string(),
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
      code,
      durationMs: z.int(),
      tokensUsed: count,
      cost: z.string().nullable().optional(),
      resolvedPrompt: z.string().optional(),
      attempts,
    }),
    event('step_skip', { ...place, when: z.string().optional(), skippedAt: z.string() }),
    textStart,
    textDelta,
    textComplete,
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
    event('artifact_start', { id: z.string(), artifactType: z.string(), title: z.string(), ...part }),
    event('artifact_delta', { id: z.string(), delta: z.string(), ...part }),
    event('artifact_update', { id: z.string(), content: z.string(), ...part }),
    event('artifact_complete', { id: z.string(), ...part }),
    event('approval_start', {
      approvalId: z.string(),
      toolCallId: z.string(),
      toolName: z.string(),
      parameters: z.unknown(),
      timeout: z.int().meta({ description: 'Milliseconds until the call is denied' }),
    }),
    event('approval_complete', {
      approvalId: z.string(),
      decision: z.enum(['approved', 'denied', 'timeout']),
      resolvedBy: z.enum(['user', 'system']),
      reason: z.string().optional(),
    }),
    event('source', {
      ...part,
      source: z.object({ id: z.string(), title: z.string().nullable(), url: z.string().nullable() }),
    }),
    event(
      'warning',
      { ...part, ...Warning.omit({ stepId: true }).shape },
      'Something went otherwise than asked, and did not fail',
    ),
    event('custom', { ...part, name: z.string(), value: z.unknown() }),
    awaitEvent,
    executionComplete,
    executionError,
    pingEvent,
  ])
  .meta({
    id: 'StreamEvent',
    examples: [
      {
        type: 'text_delta',
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        seq: 3,
        id: 'text_01k9m4v7d3x8qz5w2r6t0y1hbn',
        delta: 'Eldoret',
      },
    ],
  });
export type StreamEvent = z.infer<typeof StreamEvent>;

export type EventBody = StreamEvent extends infer E
  ? E extends StreamEvent
    ? Omit<E, 'executionId' | 'seq'>
    : never
  : never;
