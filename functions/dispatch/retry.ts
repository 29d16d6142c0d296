import * as z from 'zod';
import { agentRunQueue } from '../../shared/domain/agents/agent-run-queue.ts';
import { listKinds } from '../../shared/domain/runs/kind-permissions.ts';
import { runLabelOptions } from '../../shared/domain/runs/run-origin.ts';
import { agentOptions } from '../../shared/execution/agent-runs/run-options.ts';
import { runFinder } from '../../shared/execution/listed-runs/find-run.ts';
import { runRetrier } from '../../shared/execution/listed-runs/retry-run.ts';
import { getFlowTimeMs } from '../../shared/execution/targets/front-policy.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import {
  dispatchResponse,
  executionScope,
  followResponse,
  runResponse,
} from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { streamResponse } from '../agent-runs/schemas.ts';
import { StartedRun } from '../agent-runs/start-response.ts';
import { executesRuns, RunParams } from '../runs/schemas.ts';
import { AnyResult } from './any-result.ts';

const RetryOptions = z.strictObject({
  streamResponse,
  ...runLabelOptions,
  background: z
    .boolean()
    .optional()
    .meta({ description: 'Of an agent, like `timeoutMs` (400 for a flow). Default: as the first run' }),
  timeoutMs: agentOptions.timeoutMs,
  debugMode: z
    .boolean()
    .optional()
    .meta({ description: 'Of a flow (400 for an agent): includes the resolved prompts' }),
});

export const retryRun = defineEndpoint({
  id: 'dispatch.retry',
  method: 'POST',
  path: '/v1/runs/{id}/retry',
  permission: executesRuns,
  summary: 'Run a flow or an agent again after its failure',
  description: `Starts a new run with the version, the input, the tags, the session and the options of the first one, and responds like POST /v1/dispatch or POST /v1/agents/{id}/execute.

- \`from: "failure"\` takes over what the run and its retries stored, at no cost: results of steps (\`reusedFrom\`), turns of an agent and completed tool calls of its last turn. What may have taken effect fails with \`OUTCOME_UNKNOWN\`, unless \`unsafe\` is set. 409 for a run that completed.
- 409 while the run or a retry of it goes on. 422 for a batch (POST /v1/batch/{id}/retry), a run of a tool, a run inside of another one, and one of which the steps or the input are not stored.
- Requires what the start of the first run required.`,
  params: RunParams,
  headers: StartHeaders,
  body: z
    .strictObject({
      from: z.enum(['failure', 'start']).default('failure'),
      unsafe: z.boolean().default(false).meta({
        description:
          'Whether steps of a flow do again what may have taken effect, with the same Idempotency-Key',
      }),
      options: RetryOptions.prefault({}),
    })
    .meta({ examples: [{ from: 'failure', options: { streamResponse: false } }] }),
  open: 'run',
  response: { kind: 'sse', events: StreamEvent, json: AnyResult, bodies: { 202: StartedRun } },
  errors: [400, 402, 404, 409, 422],
  needs: { scope: executionScope, find: runFinder, retry: runRetrier, queue: agentRunQueue },

  async handle(
    { params, body, principal, permissions, timeLeftMs, requestId },
    { scope, find, retry, queue },
  ) {
    const run = await find(params.id, listKinds(await permissions(), 'EXECUTE'));
    const { streamResponse: isStreamed, ...options } = body.options;
    const started = await retry(run, { ...body, options, timeLeftMs: timeLeftMs() }, principal);
    if (started.kind === 'flow') {
      const timeMs = getFlowTimeMs(timeLeftMs());
      return dispatchResponse(scope, { ...started.dispatch, requestId, timeMs }, isStreamed);
    }
    const { id: executionId, background: isInBackground } = started.run.execution;
    if (!isInBackground) return runResponse(scope, started.run, { executionId, isStreamed, requestId });
    await queue.send(executionId);
    return { status: 202 as const, body: { executionId, status: 'running' as const } };
  },

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(retryRun);
