import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, hasCode, ifMissing, notFound } from '../../core/errors/errors.ts';
import { idKind } from '../../core/ids.ts';
import { log } from '../../core/log.ts';
import type { ChatTarget } from '../../domain/client-sessions/client-session.ts';
import { type ClientToken, latestVersion } from '../../domain/client-tokens/client-token.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Flow } from '../../domain/flows/flow.ts';
import { flowStore } from '../../domain/flows/flow-store.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { ClientTool, RunHistory } from '../../execution/agent-runs/log/run-input.ts';
import { startRun } from '../../execution/agent-runs/start-run.ts';
import { agentToRun } from '../../execution/agent-runs/tools/agent-to-run.ts';
import { execute as executeFlow } from '../../execution/dispatch/execute.ts';
import { livePorts } from '../../execution/live-ports.ts';
import { runVersions } from '../../execution/runs/run-versions.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { timeoutMsOf } from '../responses/agent-response.ts';
import { runTimeMs } from '../responses/flow-response.ts';
import { flowEvents } from '../sse/flow-events.ts';
import { agentEventsFor } from './agent-events-for.ts';
import type { EventsFor } from './turn.ts';

/** All uses, because the flow or the agent decides which services a run calls. */
export const chatScope = /* @__PURE__ */ using(
  [livePorts, agentToRun, flowStore, runVersions, 'table:write', 'payloads', 'queue:wakes'],
  (all: Scope) => all,
);

export interface ChatRun {
  executionId: string;
  /** The tools of the page, for an agent. */
  clientTools: ClientTool[] | undefined;
  token: ClientToken;
  /** The visitor. */
  owner: Pick<Principal, 'userId' | 'organizationId'>;
  target: ChatTarget;
  /** The history, and the new message. */
  messages: Message[];
  previousMessageAt: string | undefined;
  history: RunHistory;
  inputs: Record<string, unknown> | undefined;
  requestId: string;
  timeLeftMs: number;
}

/** Starts what answers a message, and nothing else than the session's target. @throws 404 if it was deleted. */
export const startTarget = (scope: Scope, run: ChatRun): Promise<EventsFor> =>
  run.target.kind === 'flow' ? startFlow(scope, run) : startAgent(scope, run).catch(withoutDetails);

async function startFlow(scope: Scope, { token, target, ...run }: ChatRun): Promise<EventsFor> {
  const flow = await flowStore(scope).find(target.id).catch(ifMissing(undefined));
  if (!flow) throw notFound('Flow');
  const version = await versionOf(scope, flow, token);
  if (version.steps.length === 0) throw conflict('The flow has no steps');
  await flowStore(scope).markRun(flow);
  const { inputs, messages, requestId } = run;
  const dispatch = {
    prepared: { flow: { id: flow.id, name: flow.name }, version, record: undefined, persistResults: true },
    body: { inputs, messages, options: { autoAppendMetadata: false, debugMode: false } },
    runsAs: run.owner,
    permissions: [],
    requestId,
    timeMs: runTimeMs(run.timeLeftMs),
    executionId: run.executionId,
    ...surfaceOf(token),
  };
  return (clientSignal) => flowEvents(executeFlow(scope, { ...dispatch, clientSignal, showsProgress: true }));
}

/** The pinned version, if it is one of this flow. */
async function versionOf(scope: Scope, flow: Flow, token: ClientToken) {
  const versions = runVersions(scope);
  const { pinToVersion: id } = token;
  const pinned =
    idKind(id) === 'flowver' ? await versions.get(flow.id, id).catch(ifMissing(undefined)) : undefined;
  return pinned ?? versions.of(flow, environmentOf(token));
}

async function startAgent(scope: Scope, { token, target, ...run }: ChatRun): Promise<EventsFor> {
  const agent = await agentOf(scope, target.id, token).catch(ifMissing(undefined));
  if (!agent) throw notFound('Agent');
  const { executionId: id, messages, history, previousMessageAt, inputs, clientTools, requestId } = run;
  const started = await startRun(
    scope,
    {
      id,
      agent,
      messages,
      history,
      previousMessageAt,
      inputs,
      clientTools,
      owner: run.owner,
      permissions: [],
      background: true,
      beginsHere: true,
      surfaceType: 'chat',
      ...surfaceOf(token),
      timeoutMs: timeoutMsOf({ background: false }, run.timeLeftMs),
    },
    sandbox(scope),
  );
  return agentEventsFor(scope, started, requestId);
}

/** The details of an agent that cannot run show its system prompt. */
function withoutDetails(error: unknown): never {
  if (!hasCode(error, 'VALIDATION')) throw error;
  log.info('An agent cannot answer a visitor', { reason: error.details.map(({ message }) => message) });
  throw conflict('The agent cannot run');
}

/** In the pinned version, if it is one of this agent. */
async function agentOf(scope: Scope, id: string, token: ClientToken) {
  const { pinToVersion: version } = token;
  const environment = environmentOf(token);
  const find = agentToRun(scope);
  if (version === latestVersion) return find(id, { environment });
  return find(id, { environment, version }).catch((error) => {
    if (hasCode(error, 'NOT_FOUND') || hasCode(error, 'VALIDATION')) return find(id, { environment });
    throw error;
  });
}

const environmentOf = ({ environment }: ClientToken) => (environment === 'test' ? 'test' : 'production');

const surfaceOf = ({ surface }: ClientToken): { surface?: RunSurface } =>
  surface ? { surface: { type: 'chat', productId: surface.productId, surfaceId: surface.id } } : {};
