/**
 * Starts the task of a new message: its item as an agent, a flow, or a run in the background.
 * Order: check the parameters and seal the push receiver, then start. The task of an agent or of a run in the background is
 * written in the transaction of its run. A flow starts when its events are read, so its task is written first, with a lease
 * that this process renews (`renewWhileOpen`); after a crash the lease ends, and the task counts as failed.
 * A message that was sent before, also at the same time, gets the task that it started. `served-surface.ts` calls it;
 * `answer-task.ts` continues tasks that wait.
 */
import { A2aRefusal, type IncomingMessage } from '../../adapters/a2a-server/served-agent.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { LeaseLost, startRenewal } from '../../core/concurrency/renewal.ts';
import { ifMissing, ServiceError } from '../../core/errors/errors.ts';
import type { PushConfig } from '../../domain/a2a-tasks/push-config.ts';
import { pushConfigStore } from '../../domain/a2a-tasks/push-config-store.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import type { NewA2aTask, ReceivedMessage } from '../../domain/a2a-tasks/task-messages.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { type RunTask, toRunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { callersApprove } from '../../domain/surfaces/surface/surface-behavior.ts';
import { BatchRefused } from '../../execution/batches/batch-store.ts';
import { toSingleRunId } from '../../execution/batches/start-batch.ts';
import { continuesInBackground } from '../../execution/targets/continues-in-background.ts';
import { backgroundStarter } from '../../execution/targets/start-in-background.ts';
import { startTarget } from '../../execution/targets/start-target.ts';
import { type Target, toTarget, toTargetInput } from '../../execution/targets/target.ts';
import { ConditionFailed, onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toSurfaceCaller } from '../../platform/identity/principal.ts';
import { targetEvents } from '../run-events/flow-response.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import { assertInputs, assertParameters, targetGone } from '../surface/parameters.ts';
import { startExposedRun } from '../surface/start-exposed.ts';
import { type A2aCall, taskParameters, userMessage } from './parameters.ts';

/**
 * Starts a task, which exists before its run or with it. A message that was sent before gives the task that it started, also
 * if it could start none any more.
 * @throws A2aRefusal, 400 for parameters that do not fit; 404 if the flow or the agent was deleted.
 */
export async function startTask(scope: Scope, call: A2aCall, newTask: NewTask): Promise<StartedTask> {
  const taskId = scope.newId('task');
  try {
    return await startNew(scope, call, { ...newTask, taskId });
  } catch (error) {
    // After any other error the task may be the one that was just begun.
    if (!(error instanceof ServiceError) && !(error instanceof A2aRefusal)) throw error;
    return findRepeatedTask(scope, call, { ...newTask, taskId }).catch(() => {
      throw error;
    });
  }
}

async function startNew(
  scope: Scope,
  call: A2aCall,
  newTask: Omit<PlannedTask, 'pushConfigs'>,
): Promise<StartedTask> {
  const { capability } = newTask.found;
  const { push, parts, returnsAtOnce } = newTask.message;
  const target = toTarget(capability);
  const parameters = taskParameters(capability.parametersSchema, parts, target.kind === 'agent');
  await assertParameters(sandbox(scope), capability.parametersSchema, parameters);
  const pushConfigs = push ? [await pushConfigStore(scope).seal(newTask.taskId, push)] : [];
  const planned = { ...newTask, target, parameters, pushConfigs };
  if (returnsAtOnce) return startInBackground(scope, call, planned);
  return target.kind === 'flow' ? startFlow(scope, call, planned) : startAgent(scope, call, planned);
}

interface PlannedRun extends PlannedTask {
  target: Target;
  parameters: Record<string, unknown>;
}

const toConversation = ({ earlier, message }: PlannedRun) => [...earlier, userMessage(message.parts)];

async function startAgent(scope: Scope, call: A2aCall, planned: PlannedRun): Promise<StartedTask> {
  const { principal, requestId, timeLeftMs, signal } = call;
  const { target, parameters } = planned;
  const executionId = scope.newId('exec');
  const place = { kind: 'agent' as const, executionId, batchId: null, leaseUntil: null };
  const { task, writes } = await a2aTaskStore(scope).prepareTask(...taskBeginning(call, planned, place));
  const surface = taskRunSurface(call, planned);
  const run = await startTarget(scope, {
    ...toTargetInput(target, parameters, toConversation(planned)),
    target,
    environment: principal.environment,
    owner: toSurfaceCaller(principal),
    caller: principal,
    surfaceType: surface.type,
    surface,
    executionId,
    requestId,
    timeLeftMs,
    isStreamed: true,
    policy: continuesInBackground,
    forAgent: { alsoWrite: writes },
  })
    .catch(onConditionFailed(undefined))
    .catch(ifMissing(null));
  if (run === null) throw targetGone(target);
  return run ? { task, events: targetEvents(run)(signal) } : findRepeatedTask(scope, call, planned);
}

async function startFlow(scope: Scope, call: A2aCall, planned: PlannedRun): Promise<StartedTask> {
  const { principal, requestId, timeLeftMs, depth } = call;
  const executionId = scope.newId('exec');
  const run = await startExposedRun(scope, planned.found, {
    principal,
    parameters: planned.parameters,
    isStreamed: false,
    requestId,
    timeLeftMs,
    depth,
    executionId,
    task: toRunTask(planned),
    messages: toConversation(planned),
  });
  const place = { kind: 'flow' as const, executionId, batchId: null, leaseUntil: leaseEnd(scope) };
  const task = await a2aTaskStore(scope)
    .create(...taskBeginning(call, planned, place))
    .catch(onConditionFailed(undefined));
  return task
    ? { task, events: renewWhileOpen(scope, task, run.events) }
    : findRepeatedTask(scope, call, planned);
}

async function startInBackground(scope: Scope, call: A2aCall, planned: PlannedRun): Promise<StartedTask> {
  const { target, parameters } = planned;
  const { kind } = target;
  if (kind === 'flow') assertInputs(parameters);
  const batchId = scope.newId('batch');
  const place = {
    kind,
    executionId: toSingleRunId(batchId),
    batchId: kind === 'flow' ? batchId : null,
    leaseUntil: null,
  };
  const { task, writes } = await a2aTaskStore(scope).prepareTask(...taskBeginning(call, planned, place));
  const run = {
    ...toTargetInput(target, parameters, toConversation(planned)),
    target,
    batchId,
    owner: toSurfaceCaller(call.principal),
    surface: taskRunSurface(call, planned),
    alsoWrite: writes,
  };
  try {
    await backgroundStarter(scope)(run, sandbox(scope));
    return { task, events: undefined };
  } catch (error) {
    const isRefused = error instanceof BatchRefused || error instanceof ConditionFailed;
    if (isRefused) return findRepeatedTask(scope, call, planned);
    throw ifMissing(targetGone(target))(error);
  }
}

interface NewTask {
  found: ExposedItem;
  message: IncomingMessage;
  /** What was said before in the context. */
  earlier: readonly Message[];
}

/** A task whose run is about to start: the run knows its id. */
interface PlannedTask extends NewTask {
  taskId: string;
  pushConfigs: PushConfig[];
}

const toRunTask = ({ taskId: id, pushConfigs }: PlannedTask): RunTask => ({
  id,
  isWatched: pushConfigs.length > 0,
});

const taskRunSurface = ({ depth }: A2aCall, planned: PlannedTask) =>
  toRunSurface(planned.found.surface, depth, toRunTask(planned));

export interface StartedTask {
  task: A2aTask;
  /** None for a run that a worker executes. */
  events: AsyncIterable<StreamEvent> | undefined;
  /** Whether its message was sent before, and started nothing now. */
  isRepeated?: boolean;
}

type Place = Pick<A2aTask, 'kind' | 'executionId' | 'batchId' | 'leaseUntil'>;

function taskBeginning(
  { principal, owner }: A2aCall,
  { found, message, taskId: id, pushConfigs }: PlannedTask,
  place: Place,
): [NewA2aTask, ReceivedMessage] {
  const { kind, environment } = principal;
  const task = {
    ...owner,
    ...place,
    id,
    contextId: message.contextId ?? id,
    itemId: found.item.id,
    pushConfigs,
    approves: callersApprove(found.surface),
    hidesReasons: kind === 'surface' && environment !== 'test',
  };
  return [task, { id: message.id, parts: message.parts }];
}

/** The task that the message started when it was sent before. @throws 400 if that was another message */
async function findRepeatedTask(
  scope: Scope,
  { owner }: A2aCall,
  { taskId: id, message, found }: Omit<PlannedTask, 'pushConfigs'>,
): Promise<StartedTask> {
  const tasks = a2aTaskStore(scope);
  const asked = { ...owner, id, contextId: message.contextId ?? id, itemId: found.item.id };
  const begun = await tasks.findBegunTask(asked, { id: message.id, parts: message.parts });
  return { task: await tasks.find(owner, begun), events: undefined, isRepeated: true };
}

const lookEveryMs = 1_000;
/** How long a task whose process has crashed still seems to work (D208). */
const leaseMs = 60_000;
/** So that two extensions may fail. */
const extendEveryMs = 20_000;

/** Until when the process lives that runs the flow of a task, unless it extends that. */
export const leaseEnd = ({ now }: Pick<Scope, 'now'>) => new Date(now().getTime() + leaseMs).toISOString();

/** Extends the lease until the task is canceled. The run does not end with its caller, who may come back and follow it. */
export async function* renewWhileOpen<E>(
  scope: Scope,
  task: A2aTask,
  events: (signal: AbortSignal) => AsyncIterable<E>,
): AsyncGenerator<E, void> {
  const { find, extendLease } = a2aTaskStore(scope);
  let extendedAt = scope.now().getTime();
  async function look(): Promise<void> {
    const at = scope.now().getTime();
    const isDue = at - extendedAt >= extendEveryMs;
    if (isDue) extendedAt = at;
    // A task that waits for its caller or for a batch has no lease to extend.
    const current = (isDue && (await extendLease(task, leaseEnd(scope)))) || (await find(task, task.id));
    if (current.status !== 'open') throw new LeaseLost();
  }
  const failure = 'A task could not be read';
  const { lost, stop } = startRenewal(look, { everyMs: lookEveryMs, failure, about: { taskId: task.id } });
  try {
    yield* events(lost);
  } finally {
    stop();
  }
}
