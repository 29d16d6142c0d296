import { sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { invalidAt } from '../../shared/core/errors.ts';
import { agentStore } from '../../shared/domain/agents/agent-store.ts';
import { agentVersions } from '../../shared/domain/agents/agent-versions.ts';
import { startRun } from '../../shared/execution/agent-runs/start-run.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';
import { AgentResult } from '../../shared/protocols/json/agent-result.ts';
import { StreamEvent } from '../../shared/protocols/sse/stream-event.ts';
import { foregroundMs, runResponse, runScope } from './run-response.ts';
import { AgentParams, ExecuteBody } from './schemas.ts';

export const executeAgent = defineEndpoint({
  id: 'agent-runs.execute',
  method: 'POST',
  path: '/v1/agents/{id}/execute',
  permission: 'AGENTS:EXECUTE',
  summary: 'Run an agent',
  description:
    'Streams server-sent events during the run. With `options.streamResponse: false` it returns one JSON response at the end. Closing the connection cancels the run. A run that needs an approval or calls a local tool pauses: its stream ends with `await`, and approve or resume continues it.',
  params: AgentParams,
  body: ExecuteBody,
  response: { kind: 'sse', events: StreamEvent, json: AgentResult },
  errors: [400, 404, 413, 415],
  needs: { scope: runScope, agents: agentStore, versions: agentVersions, sandbox },

  async handle({ params, body, principal, timeLeftMs, requestId }, { scope, agents, versions, sandbox }) {
    const { messages, inputs, options } = body;
    const { environment } = principal;
    const { agent, content, versionId } = await versions.toRun(params.id, { environment, ...options });
    if (content.agentType === 'vendor_managed') {
      throw invalidAt(
        'id',
        'INVALID_VALUE',
        'The vendor of this agent runs it; this service can only store it',
      );
    }
    const isImmutable = versionId !== null && versionId !== agent.draft?.id;
    const [{ execution, input }] = await Promise.all([
      startRun(
        scope,
        {
          agent: { id: agent.id, name: agent.name, versionId: isImmutable ? versionId : null, content },
          ...{ messages, inputs, owner: principal, permissions: [], surfaceType: 'api', background: false },
          timeoutMs: foregroundMs(options.timeoutMs, timeLeftMs()),
          modelOverride: options.modelOverride,
        },
        sandbox,
      ),
      agents.markRun(agent),
    ]);
    const run = { execution, content, input, log: [], opening: [], mayHaveBegun: false };
    return runResponse(scope, run, { isStreamed: options.streamResponse, requestId });
  },
});

export const handler = toStreamingLambda(executeAgent);
