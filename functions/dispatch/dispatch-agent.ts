import { originOfCall } from '../../shared/domain/runs/run-origin.ts';
import { resolveDispatchedAgent } from '../../shared/execution/agent-runs/agent-input.ts';
import type { DispatchBody } from '../../shared/execution/dispatch/request.ts';
import { getAgentTimeMs } from '../../shared/execution/targets/front-policy.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';
import type { Principal } from '../../shared/platform/identity/principal.ts';
import { startResponse } from '../agent-runs/start-response.ts';

interface Caller {
  principal: Principal;
  requestId: string;
  timeLeftMs: number;
}

/** Runs an agent for a dispatch. */
export async function dispatchAgent(
  scope: Scope,
  { principal, requestId, timeLeftMs }: Caller,
  { agent: inlineAgent = {}, messages = [], inputs, record, clientTools, options }: DispatchBody,
) {
  const { background, version, modelOverride, previousMessageAt, responseFormat } = options;
  const { agent, permissions } = await resolveDispatchedAgent(scope, principal, inlineAgent, version);
  const request = {
    agent,
    messages,
    owner: principal,
    permissions,
    surfaceType: 'api',
    origin: originOfCall(principal, options),
    background,
    modelOverride,
    previousMessageAt,
    clientTools,
    responseSchema: responseFormat?.schema,
    inputs: { ...inputs, ...(record && { _record: record }) },
    timeoutMs: getAgentTimeMs(options, timeLeftMs),
  };
  return startResponse(scope, request, { isStreamed: options.streamResponse, requestId });
}
