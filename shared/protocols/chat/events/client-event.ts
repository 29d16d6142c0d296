import * as z from 'zod';
import {
  executionComplete,
  executionStart,
  pingEvent,
  textComplete,
  textDelta,
  textStart,
} from '../../run-events/stream-event.ts';

const internals = { maxTurns: true, totalSteps: true } as const;
const numbers = { totalCost: true, totalTokens: true, iterations: true, successfulSteps: true } as const;
const every = { executionId: z.string(), seq: z.int() };
const tool = {
  toolCallId: z.string(),
  toolName: z.string(),
  origin: z.enum(['webmcp', 'sdk']).optional().meta({ description: 'Of a tool that the page sent' }),
  pageOrigin: z.string().optional(),
};

/** Steps, turns, inputs and outputs of the tenant's tools, and the reasons of failures are internal to the tenant. */
export const ClientEvent = z
  .discriminatedUnion('type', [
    executionStart.omit(internals).meta({ id: 'ClientExecutionStartEvent', description: undefined }),
    ...([textStart, textDelta, textComplete] as const),
    z
      .object({ type: z.literal('tool_start'), ...every, ...tool, toolType: z.string().optional() })
      .meta({ id: 'ClientToolStartEvent' }),
    z
      .object({
        type: z.literal('tool_complete'),
        ...every,
        ...tool,
        success: z.boolean(),
        executionTime: z.int().meta({ description: 'Milliseconds' }),
      })
      .meta({ id: 'ClientToolCompleteEvent' }),
    z
      .object({
        type: z.literal('approval_start'),
        ...every,
        approvalId: z.string(),
        toolCallId: z.string(),
        toolName: z.string(),
        parameters: z
          .unknown()
          .meta({ description: 'The arguments of the call, shortened and without credentials' }),
        timeout: z.int().meta({ description: 'Milliseconds until the call is denied' }),
      })
      .meta({ id: 'ClientApprovalStartEvent', description: 'The visitor may allow or deny a call' }),
    z
      .object({
        type: z.literal('approval_complete'),
        ...every,
        approvalId: z.string(),
        decision: z.enum(['approved', 'denied', 'timeout']),
        resolvedBy: z.enum(['user', 'system']),
      })
      .meta({ id: 'ClientApprovalCompleteEvent' }),
    z
      .object({
        type: z.literal('await'),
        ...every,
        awaitReason: z.enum(['wait', 'local_tool', 'approval']),
        awaitedAt: z.string(),
        toolCallId: tool.toolCallId.optional(),
        toolName: tool.toolName.optional(),
        origin: tool.origin,
        pageOrigin: tool.pageOrigin,
        parameters: z.unknown().optional(),
      })
      .meta({
        id: 'ClientAwaitEvent',
        description:
          'The last events of an answer that waits. local_tool: execute the tool in the page and send its output to resume',
      }),
    executionComplete
      .omit({ ...numbers, totalSteps: true, failedSteps: true, error: true, code: true })
      .omit({ attempts: true, warnings: true })
      .extend({ finalOutput: z.string().meta({ description: 'The answer' }) })
      .meta({ id: 'ClientExecutionCompleteEvent', description: undefined }),
    z
      .object({
        type: z.literal('execution_error'),
        ...every,
        kind: z.enum(['flow', 'agent']),
        error: z.object({
          code: z.enum(['FAILED', 'TIMEOUT', 'INTERRUPTED', 'CANCELLED']),
          message: z.string(),
        }),
      })
      .meta({
        id: 'ClientExecutionErrorEvent',
        description:
          'There is no answer. INTERRUPTED: a later message ended it. CANCELLED: the tenant ended it, or deleted the agent',
      }),
    pingEvent,
  ])
  .meta({ id: 'ClientEvent' });
export type ClientEvent = z.infer<typeof ClientEvent>;

export type ClientEventBody = ClientEvent extends infer E
  ? E extends ClientEvent
    ? Omit<E, 'executionId' | 'seq'>
    : never
  : never;
