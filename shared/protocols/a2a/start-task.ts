import { A2aRefusal } from '../../adapters/a2a-server/served-agent.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { ifMissing, ServiceError } from '../../core/errors/errors.ts';
import { pushConfigStore } from '../../domain/a2a-tasks/push-config-store.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { agentRunQueue } from '../../execution/agent-runs/agent-run-queue.ts';
import { startRun } from '../../execution/agent-runs/start-run.ts';
import { surfaceRequest } from '../../execution/agent-runs/surface-request.ts';
import { agentToRun } from '../../execution/agent-runs/tools/agent-to-run.ts';
import { batchDefaults, batchStarter, singleRunId } from '../../execution/batches/batch-start.ts';
import { BatchRefused } from '../../execution/batches/batch-store.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { callerOfSurface } from '../../platform/identity/visitor.ts';
import { agentEvents } from '../sse/agent-events.ts';
import { assertInputs, assertParameters, gone } from '../surface/parameters.ts';
import { exposedRun } from '../surface/start.ts';
import type { A2aCall } from './call.ts';
import { frontRun } from './front-run.ts';
import { parametersOf, userMessage } from './parameters.ts';
import {
  beginningOf,
  type NewTask,
  type PlannedTask,
  repeated,
  runTaskOf,
  type StartedTask,
  surfaceOf,
} from './planned-task.ts';
import { leaseOf, whileOpen } from './while-open.ts';

/**
 * Starts a task, which exists before its run or with it. A message that was sent before gives the task that it started, also
 * if it could start none any more.
 * @throws A2aRefusal, 400 for parameters that do not fit; 404 if the flow or the agent was deleted.
 */
export async function startTask(scope: Scope, call: A2aCall, given: NewTask): Promise<StartedTask> {
  const taskId = scope.newId('task');
  try {
    return await startNew(scope, call, { ...given, taskId });
  } catch (error) {
    // After any other error the task may be the one that was just begun.
    if (!(error instanceof ServiceError) && !(error instanceof A2aRefusal)) throw error;
    return repeated(scope, call, { ...given, taskId }).catch(() => {
      throw error;
    });
  }
}

async function startNew(
  scope: Scope,
  call: A2aCall,
  given: Omit<PlannedTask, 'pushConfigs'>,
): Promise<StartedTask> {
  const { capability } = given.found;
  const parameters = parametersOf(
    capability.parametersSchema,
    given.message.parts,
    capability.agentId !== null,
  );
  await assertParameters(sandbox(scope), capability.parametersSchema, parameters);
  const { push } = given.message;
  const pushConfigs = push ? [await pushConfigStore(scope).seal(given.taskId, push)] : [];
  const planned = { ...given, pushConfigs };
  return capability.agentId === null
    ? startFlow(scope, call, planned, parameters)
    : startAgent(scope, call, { ...planned, agentId: capability.agentId }, parameters);
}

type Parameters = Record<string, unknown>;

async function startAgent(
  scope: Scope,
  call: A2aCall,
  planned: PlannedTask & { agentId: string },
  parameters: Parameters,
): Promise<StartedTask> {
  const { principal, signal: stopSignal, requestId } = call;
  const { message, earlier, agentId } = planned;
  const { environment } = principal;
  const agent = await agentToRun(scope)(agentId, { environment }).catch(ifMissing(undefined));
  if (!agent) throw gone('Agent');
  const executionId = scope.newId('exec');
  const place = { kind: 'agent' as const, executionId, batchId: null, leaseUntil: null };
  const { task, writes } = await a2aTaskStore(scope).beginning(...beginningOf(call, planned, place));
  const run = await startRun(
    scope,
    {
      ...surfaceRequest(surfaceOf(call, planned), parameters),
      messages: [...earlier, userMessage(message.parts)],
      agent,
      owner: callerOfSurface(principal),
      background: true,
      beginsHere: !message.returnsAtOnce,
      id: executionId,
      alsoWrite: writes,
    },
    sandbox(scope),
  ).catch(ifRefused(undefined));
  if (!run) return repeated(scope, call, planned);
  if (!message.returnsAtOnce) {
    return { task, events: agentEvents(frontRun(scope, run, { stopSignal, requestId })) };
  }
  await agentRunQueue(scope).send(executionId);
  return { task, events: undefined };
}

async function startFlow(
  scope: Scope,
  call: A2aCall,
  planned: PlannedTask,
  parameters: Parameters,
): Promise<StartedTask> {
  const { principal, requestId, timeLeftMs, depth } = call;
  const { found, message, earlier } = planned;
  if (message.returnsAtOnce) return startInBackground(scope, call, planned, parameters);
  const executionId = scope.newId('exec');
  const run = await exposedRun(scope, found, {
    principal,
    parameters,
    isStreamed: false,
    requestId,
    timeLeftMs,
    depth,
    executionId,
    task: runTaskOf(planned),
    messages: [...earlier, userMessage(message.parts)],
  });
  const place = { kind: 'flow' as const, executionId, batchId: null, leaseUntil: leaseOf(scope) };
  const task = await a2aTaskStore(scope)
    .create(...beginningOf(call, planned, place))
    .catch(ifRefused(undefined));
  return task ? { task, events: whileOpen(scope, task, run.events) } : repeated(scope, call, planned);
}

/** As a batch of one. */
async function startInBackground(
  scope: Scope,
  call: A2aCall,
  planned: PlannedTask,
  inputs: Parameters,
): Promise<StartedTask> {
  assertInputs(inputs);
  const batchId = scope.newId('batch');
  const { found, message, earlier } = planned;
  const surface = surfaceOf(call, planned);
  const messages = [...earlier, userMessage(message.parts)];
  const place = { kind: 'flow' as const, executionId: singleRunId(batchId), batchId, leaseUntil: null };
  const { task, writes } = await a2aTaskStore(scope).beginning(...beginningOf(call, planned, place));
  const run = { inputs, messages, surface, alsoWrite: writes };
  try {
    const batch = { id: batchId, records: null, ...run, options: batchDefaults };
    await batchStarter(scope).startOnce(
      found.capability.flowId ?? '',
      batch,
      callerOfSurface(call.principal),
    );
    return { task, events: undefined };
  } catch (error) {
    if (error instanceof BatchRefused) return repeated(scope, call, planned);
    throw ifMissing(gone('Flow'))(error);
  }
}
