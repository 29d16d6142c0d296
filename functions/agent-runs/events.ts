import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { assertOfAgent } from '../../shared/execution/agent-runs/execution-details.ts';
import { followRun } from '../../shared/execution/agent-runs/follow-run.ts';
import { findExecution } from '../../shared/execution/agent-runs/run-log.ts';
import { using } from '../../shared/platform/aws/uses.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { lastEventId, sendNumberedEvents } from '../../shared/platform/http/responses/server-sent-events.ts';
import { agentEvents } from '../../shared/protocols/run-events/agent-events.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { ExecutionParams } from './schemas.ts';

/** It lets the process of the run know that somebody follows it. */
const runReader = using(['table:write', 'payloads:read'], (scope: Scope) => scope);

export const followAgentExecution = defineEndpoint({
  id: 'agent-runs.events',
  method: 'GET',
  path: '/v1/agents/{id}/executions/{executionId}/events',
  permission: 'AGENTS:READ',
  summary: 'Follow a run of an agent',
  description:
    'Replays the events after the number `after`, and then streams those that follow, until the run ends or pauses. Texts of earlier turns come in one piece, so some numbers are missing; of the turn in progress, they come as the model writes them, after three seconds at most. If its process is lost, the turn ends with `success: false` and begins again under another id. After a broken connection, continue with the `id` of the last event as `after` or in the header `Last-Event-ID`, which counts if both are given: an `EventSource` continues by itself.',
  params: ExecutionParams,
  query: z.object({
    after: z.string().max(200).optional().meta({
      description: 'The `id` of the last event. Default: all events',
      example: '12',
    }),
  }),
  open: 'reader',
  response: { kind: 'sse', events: StreamEvent },
  errors: [400, 404],
  needs: { scope: runReader },

  async handle({ params: { id, executionId }, query, header, timeLeftMs }, { scope }) {
    const after = lastSeqOf(lastEventId(header, query.after));
    assertOfAgent(id, await findExecution(scope, executionId));
    const timeout = AbortSignal.timeout(Math.max(1, timeLeftMs() - 1_000));
    return sendNumberedEvents((signal) =>
      agentEvents(followRun(scope, executionId, after, AbortSignal.any([signal, timeout]))),
    );
  },
});

const Seq = wholeNumber(0, 1_000_000_000);

function lastSeqOf(text: string | undefined): number {
  if (text === undefined) return -1;
  const { data, success } = Seq.safeParse(text);
  if (success) return data;
  throw invalidAt(
    'after',
    'INVALID_CURSOR',
    'Expected the id of an event of this run. Omit it for all events',
  );
}

export const handler = toStreamingLambda(followAgentExecution);
