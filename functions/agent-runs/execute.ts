import { recentModelAccount } from '../../shared/domain/model-configs/select-model.ts';
import { originOfCall } from '../../shared/domain/runs/run-origin.ts';
import { agentToRun } from '../../shared/execution/agent-runs/agent-input.ts';
import { getAgentTimeMs } from '../../shared/execution/targets/front-policy.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { StartHeaders } from '../../shared/platform/http/start-headers.ts';
import { AgentResult } from '../../shared/protocols/json/dispatch-result.ts';
import { followResponse, runScope } from '../../shared/protocols/run-events/flow-response.ts';
import { StreamEvent } from '../../shared/protocols/run-events/stream-event.ts';
import { AgentRunParams, ExecuteBody } from './schemas.ts';
import { StartedRun, startResponse } from './start-response.ts';

export const executeAgent = defineEndpoint({
  id: 'agent-runs.execute',
  method: 'POST',
  path: '/v1/agents/{id}/execute',
  permission: 'AGENTS:EXECUTE',
  summary: 'Run an agent',
  description: `Streams server-sent events during the run. With \`options.streamResponse: false\` it returns one JSON response at the end; with \`options.background: true\` it returns 202, and a worker runs the agent. Closing the connection cancels a run that is not in the background, except on AWS, where a Lambda does not learn of it.

A run that needs an approval or calls a local tool pauses: its stream ends with \`await\`, and POST …/approve or …/resume continues it. The response of a run that failed is a 200 too: its \`success\` is false, and \`error\` says why.`,
  params: AgentRunParams,
  headers: StartHeaders,
  body: ExecuteBody,
  open: ({ body }) => (body.options.background ? 'brief' : 'run'),
  response: { kind: 'sse', events: StreamEvent, json: AgentResult, bodies: { 202: StartedRun } },
  errors: [400, 402, 404],
  needs: { scope: runScope, find: agentToRun },

  readAhead: (_request, { scope }) => void recentModelAccount(scope),

  async handle({ params, body, principal, timeLeftMs, requestId }, { scope, find }) {
    const { messages, inputs, clientTools, options } = body;
    const { background, version, modelOverride, previousMessageAt, responseFormat } = options;
    const agent = await find(params.id, { environment: principal.environment, version });
    const request = {
      agent,
      messages,
      inputs,
      owner: principal,
      permissions: [],
      surfaceType: 'api',
      origin: originOfCall(principal, options),
      clientTools,
      responseSchema: responseFormat?.schema,
      background,
      modelOverride,
      previousMessageAt,
      timeoutMs: getAgentTimeMs(options, timeLeftMs()),
    };
    return startResponse(scope, request, { isStreamed: options.streamResponse, requestId });
  },

  follow: (request, { scope }, run) => followResponse(scope, run, request),
});

export const handler = toStreamingLambda(executeAgent);
