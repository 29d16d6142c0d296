import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { type ExposedItem, exposedItems } from '../../domain/surfaces/exposed-item.ts';
import { type RunSurface, type RunTask, runSurfaceOf } from '../../domain/surfaces/surface/run-surface.ts';
import { startRun } from '../../execution/agent-runs/start-run.ts';
import { surfaceRequest } from '../../execution/agent-runs/surface-request.ts';
import { agentToRun } from '../../execution/agent-runs/tools/agent-to-run.ts';
import { execute as executeFlow } from '../../execution/dispatch/execute.ts';
import { prepare } from '../../execution/dispatch/prepare.ts';
import { DispatchBody } from '../../execution/dispatch/request.ts';
import { livePorts } from '../../execution/live-ports.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { callerOfSurface } from '../../platform/identity/visitor.ts';
import { agentResultOf } from '../json/agent-result.ts';
import { dispatchResultOf } from '../json/dispatch-result.ts';
import { eventsOfRun, timeoutMsOf } from '../responses/agent-response.ts';
import { runTimeMs } from '../responses/flow-response.ts';
import { agentEvents } from '../sse/agent-events.ts';
import { flowEvents } from '../sse/flow-events.ts';
import { type OutwardRun, outwardResponse, withoutReasons } from './outward.ts';
import { assertInputs, assertParameters, gone } from './parameters.ts';

/** All uses, because the flow or the agent decides which services a run calls. */
export const surfaceRunScope = using(
  [exposedItems, livePorts, 'table:write', 'payloads', 'queue:wakes'],
  (all: Scope) => all,
);

export interface SurfaceCall {
  principal: Principal;
  parameters: Record<string, unknown>;
  isStreamed: boolean;
  requestId: string;
  timeLeftMs: number;
  /** How many runs are above this one. */
  depth?: number;
  /** For a flow: the conversation. */
  messages?: readonly Message[];
  /** The task that the run is. */
  task?: RunTask;
  /** The id of the new execution of a flow. */
  executionId?: string;
}

/** Runs what an item exposes while it responds. @throws 400 for parameters that do not fit; 404 if it is deleted. */
export const startExposed = async (scope: Scope, item: ExposedItem, call: SurfaceCall) =>
  outwardResponse(await exposedRun(scope, item, call), call.isStreamed);

/** A run that begins when its events or its result are read. @throws as `startExposed`. */
export async function exposedRun(
  scope: Scope,
  { capability, surface }: ExposedItem,
  call: SurfaceCall,
): Promise<OutwardRun> {
  await assertParameters(sandbox(scope), capability.parametersSchema, call.parameters);
  const from = runSurfaceOf(surface, call.depth, call.task);
  const run =
    capability.agentId === null
      ? await startFlow(scope, capability.flowId ?? '', from, call)
      : await startAgent(scope, capability.agentId, from, call);
  const { kind, environment } = call.principal;
  return kind === 'surface' && environment !== 'test' ? withoutReasons(run) : run;
}

async function startFlow(scope: Scope, flowId: string, surface: RunSurface, call: SurfaceCall) {
  const { principal, parameters: inputs, isStreamed, requestId, messages, executionId } = call;
  assertInputs(inputs);
  const body = DispatchBody.parse({ flow: { id: flowId }, inputs, messages });
  const prepared = await prepare(scope, principal, body).catch(ifMissing(undefined));
  if (!prepared) throw gone('Flow');
  const timeMs = runTimeMs(call.timeLeftMs);
  const run = {
    prepared,
    body,
    surface,
    runsAs: callerOfSurface(principal),
    permissions: [],
    requestId,
    timeMs,
    ...(executionId && { executionId }),
  };
  const eventsFor = (clientSignal: AbortSignal) =>
    executeFlow(scope, { ...run, clientSignal, showsProgress: isStreamed });
  const events = (signal: AbortSignal) => flowEvents(eventsFor(signal));
  return { events, result: (signal: AbortSignal) => dispatchResultOf(eventsFor(signal)) };
}

async function startAgent(scope: Scope, agentId: string, surface: RunSurface, call: SurfaceCall) {
  const { principal, parameters, isStreamed, requestId } = call;
  const { environment } = principal;
  const agent = await agentToRun(scope)(agentId, { environment }).catch(ifMissing(undefined));
  if (!agent) throw gone('Agent');
  const run = await startRun(
    scope,
    {
      ...surfaceRequest(surface, parameters),
      agent,
      owner: callerOfSurface(principal),
      background: false,
      timeoutMs: timeoutMsOf({ background: false }, call.timeLeftMs),
    },
    sandbox(scope),
  );
  const eventsFor = eventsOfRun(scope, run, { isStreamed, requestId });
  const events = (signal: AbortSignal) => agentEvents(eventsFor(signal));
  const result = async (signal: AbortSignal) => {
    const { result: output, ...rest } = await agentResultOf(run.execution.id, eventsFor(signal));
    return { ...rest, output };
  };
  return { events, result };
}
