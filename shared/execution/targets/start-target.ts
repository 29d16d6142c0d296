/**
 * Starts a stored flow or agent in front of a caller, for surfaces, chats and protocols alike.
 * It prepares the run and returns its events, which begin when they are first read; what can refuse the run (404, 400,
 * 409, 422, BUDGET_EXCEEDED) does so before. `policy` decides whether a run of an agent ends with its caller, continues
 * in the background or survives the process (the files beside this one).
 * `start-in-background.ts` starts the same targets for a worker.
 */
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { hasCode, ifMissing } from '../../core/errors/errors.ts';
import { getIdKind } from '../../core/ids.ts';
import { flowStore } from '../../domain/flows/flow-store.ts';
import { originOfSurface, type RunLabels, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { agentToRun } from '../agent-runs/agent-input.ts';
import type { AgentRun } from '../agent-runs/execute-agent-run.ts';
import type { NumberedEvent } from '../agent-runs/run-events.ts';
import type { AlsoAtEnd } from '../agent-runs/run-journal.ts';
import { type AgentRunRequest, prepareRun, startRun } from '../agent-runs/start-run.ts';
import { executeFlowRun } from '../dispatch/execute-flow-run.ts';
import { createNoStepsError, type PreparedRun } from '../dispatch/prepare.ts';
import { startBudgetCheck } from '../model-calls/budget-accounts.ts';
import { openPorts } from '../open-ports.ts';
import type { FlowRunEvent } from '../runs/flow-run-event.ts';
import { runVersions } from '../runs/run-versions.ts';
import { type FrontPolicy, getAgentTimeMs, getFlowTimeMs } from './front-policy.ts';
import type { Target, TargetInput } from './target.ts';

interface Choice {
  environment: 'production' | 'test';
  /** The version to run, if it is one of the flow. Default: that of the environment. */
  pinned?: string | undefined;
}

/** Finds the version that a run of a stored flow takes, and notes that the flow runs. */
const flowToRun = /* @__PURE__ */ using([flowStore, runVersions], (scope: Scope) => {
  const flows = flowStore(scope);
  const versions = runVersions(scope);
  /** @throws 404 for an unknown flow, 409 if it was never saved, 422 if it has no steps. */
  return async (id: string, { environment, pinned: pin = '' }: Choice): Promise<PreparedRun> => {
    const flow = await flows.find(id);
    const isVersion = getIdKind(pin) === 'flowver';
    const pinned = isVersion ? await versions.get(id, pin).catch(ifMissing(undefined)) : undefined;
    const version = pinned ?? (await versions.resolve(flow, environment));
    if (version.steps.length === 0) throw createNoStepsError();
    await flows.markRun(flow);
    return { flow: { id, name: flow.name }, version, record: undefined, persistResults: true };
  };
});

/** All uses, because the flow or the agent decides which services a run calls; without those of the policy. */
export const targetScope = /* @__PURE__ */ using(
  [
    openPorts,
    agentToRun,
    flowToRun,
    startBudgetCheck,
    'table:write',
    'table:delete',
    'payloads:read',
    'payloads:write',
    'queue:wakes',
  ],
  (all: Scope) => all,
);

export interface TargetRun extends TargetInput {
  target: Target;
  environment: 'production' | 'test';
  /** The version to run, if it is one of the target. Default: that of the environment. */
  pinned?: string | undefined;
  owner: Pick<Principal, 'userId' | 'organizationId'>;
  surfaceType: string;
  surface?: RunSurface | undefined;
  labels?: RunLabels | undefined;
  /** What starts it. Default: the surface, or the chat of a page. */
  origin?: RunOrigin | undefined;
  /** Who called the surface, if that is known. */
  caller?: Pick<Principal, 'kind' | 'keyId' | 'userId'> | undefined;
  /** The token of the page whose chat starts it. */
  clientTokenId?: string | undefined;
  /** A new one, which nobody has used. */
  executionId?: string | undefined;
  requestId: string;
  /** Of this process. */
  timeLeftMs: number;
  /** Whether its caller sees texts as they are written. */
  isStreamed: boolean;
  /** Of the run of an agent. A flow ends with its caller and with its process. */
  policy: FrontPolicy;
  forAgent?: Pick<
    AgentRunRequest,
    'history' | 'previousMessageAt' | 'clientTools' | 'responseSchema' | 'alsoWrite'
  >;
}

/** A run that begins when its events are read, once. @param signal Aborted when nobody reads them any more. */
export type StartedTarget =
  | { kind: 'flow'; events: (signal: AbortSignal) => AsyncIterable<FlowRunEvent> }
  | {
      kind: 'agent';
      executionId: string;
      events: (signal: AbortSignal, alsoAtEnd?: AlsoAtEnd) => AsyncIterable<NumberedEvent>;
    };

/**
 * Starts a stored flow or agent in front of a caller; `backgroundStarter` starts one for a worker.
 * @throws 404 if it does not exist; 400, 409 or 422 if it cannot run.
 */
export const startTarget = (scope: Scope, run: TargetRun): Promise<StartedTarget> =>
  run.target.kind === 'flow' ? startFlow(scope, run) : startAgent(scope, run);

export interface PreparedTarget {
  started: StartedTarget;
  /** A run of an agent starts with them. A flow writes nothing before its events are read. */
  writes: readonly Write[];
  /** Only if nothing was committed. */
  discard: () => Promise<void>;
}

/** Prepares a start with the transaction of the caller. @throws as `startTarget` */
export async function prepareTarget(scope: Scope, run: TargetRun): Promise<PreparedTarget> {
  if (run.target.kind === 'flow')
    return { started: await startFlow(scope, run), writes: [], discard: async () => {} };
  const { run: prepared, ...rest } = await prepareRun(
    scope,
    await toAgentRequest(scope, run),
    sandbox(scope),
  );
  return { started: toStartedAgent(scope, prepared, run), ...rest };
}

async function startFlow(scope: Scope, run: TargetRun): Promise<StartedTarget> {
  const { inputs, messages, owner, surface, executionId, requestId, isStreamed } = run;
  const prepared = await flowToRun(scope)(run.target.id, run);
  await startBudgetCheck(scope).flow(run.target.id, prepared.version.steps, {
    surface,
    origin: toOrigin(run),
  });
  const dispatch = {
    prepared,
    body: {
      inputs,
      messages: messages && [...messages],
      options: { autoAppendMetadata: false, debugMode: false },
    },
    runsAs: owner,
    permissions: [],
    requestId,
    timeMs: getFlowTimeMs(run.timeLeftMs),
    ...(surface && { surface }),
    origin: toOrigin(run),
    ...(executionId && { executionId }),
  };
  const events = (callerSignal: AbortSignal) =>
    executeFlowRun(scope, { ...dispatch, callerSignal, showsProgress: isStreamed });
  return { kind: 'flow', events };
}

const startAgent = async (scope: Scope, run: TargetRun): Promise<StartedTarget> =>
  toStartedAgent(scope, await startRun(scope, await toAgentRequest(scope, run), sandbox(scope)), run);

async function toAgentRequest(scope: Scope, run: TargetRun): Promise<AgentRunRequest> {
  const { inputs, messages = [], owner, surfaceType, surface, policy } = run;
  const { background, outlivesProcess } = policy;
  return {
    agent: await loadAgent(scope, run),
    id: run.executionId,
    isNewId: true,
    inputs,
    messages,
    owner,
    permissions: [],
    surfaceType,
    surface,
    origin: toOrigin(run),
    background,
    beginsHere: background,
    timeoutMs: outlivesProcess ? undefined : getAgentTimeMs({ background: false }, run.timeLeftMs),
    ...run.forAgent,
  };
}

const toStartedAgent = (
  scope: Scope,
  started: AgentRun,
  { isStreamed, requestId, policy }: TargetRun,
): StartedTarget => ({
  kind: 'agent',
  executionId: started.execution.id,
  events: policy.events(scope, started, { isStreamed, requestId }),
});

/** A chat may have no surface. */
const toOrigin = ({ origin, surface, labels, caller, clientTokenId }: TargetRun): RunOrigin =>
  origin ?? {
    ...(surface ? originOfSurface(surface, labels, caller) : { trigger: { type: 'client' }, ...labels }),
    ...(clientTokenId !== undefined && { clientTokenId }),
  };

/** In the pinned version, if it is one of this agent. */
async function loadAgent(scope: Scope, { target: { id }, environment, pinned }: TargetRun) {
  const find = agentToRun(scope);
  if (pinned === undefined) return find(id, { environment });
  return find(id, { environment, version: pinned }).catch((error) => {
    if (hasCode(error, 'NOT_FOUND') || hasCode(error, 'VALIDATION')) return find(id, { environment });
    throw error;
  });
}
