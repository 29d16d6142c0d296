import * as z from 'zod';
import { A2aRefusal, type IncomingMessage } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { toRunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { callersApprove } from '../../domain/surfaces/surface/surface-behavior.ts';
import { type TaskWait, taskProgress } from '../../execution/a2a-tasks/task-progress.ts';
import { agentRunQueue } from '../../execution/agent-runs/agent-run-queue.ts';
import { answerWaits, Decision, type GivenAnswers } from '../../execution/agent-runs/answer-run.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { resumeFlowRun } from '../../execution/dispatch/resume.ts';
import { getFlowTimeMs } from '../../execution/targets/time-limits.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import type { A2aCall } from './call.ts';
import { textOfParts } from './parameters.ts';
import type { StartedTask } from './planned-task.ts';
import { taskReceivers } from './task-receivers.ts';
import { leaseEnd, whileOpen } from './while-open.ts';

interface TaskAnswer {
  found: ExposedItem;
  task: A2aTask;
  message: IncomingMessage;
}

/** Answers a task. An answer that was sent before gives the task as it is, also if both arrive at once. @throws A2aRefusal */
export async function answerOnce(scope: Scope, call: A2aCall, given: TaskAnswer): Promise<StartedTask> {
  const { task, message } = given;
  const { find, hasMessage } = a2aTaskStore(scope);
  if (await hasMessage(task, message)) return { task, events: undefined, isRepeated: true };
  try {
    return await answerTask(scope, call, given);
  } catch (error) {
    const after = await find(call.owner, task.id);
    if (await hasMessage(after, message)) return { task: after, events: undefined, isRepeated: true };
    throw error;
  }
}

/** Adds the answer in the run's transaction. @throws A2aRefusal if the task does not wait, or for no answer */
export async function answerTask(scope: Scope, call: A2aCall, given: TaskAnswer): Promise<StartedTask> {
  const { found, task, message } = given;
  const progress = await taskProgress(scope)(task);
  if (progress.state !== 'input-required') throw notWaiting(progress.state);
  // The setting as it was when the task told its caller, and as it is now.
  const approves = task.approves === true && callersApprove(found.surface);
  const said = readAnswer(message.parts, progress.waits, approves);
  if (task.kind === 'flow' && message.returnsAtOnce) throw continuesAtOnce();
  const current = { ...given, task: await withReceiver(scope, call, given) };
  if (task.kind === 'flow') return answerFlow(scope, call, current, said.toolOutputs ?? {});
  const { task: after, write } = await adding(scope, current, null);
  const place = { executionId: task.executionId };
  const { run, added } = await answerWaits(scope, call.principal, place, { ...said, alsoWrite: [write] });
  const events = async function* () {
    if (run.state.waits.length > 0) return;
    const sentSeq = run.log.at(-added.length - 1)?.lastSeq ?? 0;
    yield* agentEvents(followRun(scope, task.executionId, sentSeq, call.signal));
  };
  if (run.state.waits.length === 0) await agentRunQueue(scope).send(task.executionId);
  return { task: after, events: message.returnsAtOnce ? undefined : events() };
}

async function answerFlow(
  scope: Scope,
  { principal, requestId, timeLeftMs, depth }: A2aCall,
  given: TaskAnswer,
  toolOutputs: Record<string, unknown>,
): Promise<StartedTask> {
  const { found, task } = given;
  const { task: after, write } = await adding(scope, given, leaseEnd(scope));
  const answered = { executionId: task.executionId, toolOutputs, alsoWrite: [write] };
  const run = {
    ...(await resumeFlowRun(scope, principal, answered)),
    requestId,
    timeMs: getFlowTimeMs(timeLeftMs),
    showsProgress: false,
    surface: toRunSurface(found.surface, depth, {
      id: task.id,
      isWatched: (after.pushConfigs ?? []).length > 0,
    }),
  };
  const events = (callerSignal: AbortSignal) => flowEvents(executeFlowRun(scope, { ...run, callerSignal }));
  return { task: after, events: whileOpen(scope, after, events) };
}

/** The task with the receiver that its answer names: the run that continues knows whether somebody is told. */
async function withReceiver(
  scope: Scope,
  { owner }: A2aCall,
  { task, message: { push } }: TaskAnswer,
): Promise<A2aTask> {
  if (!push) return task;
  await taskReceivers(scope, owner).addReceiver(task.id, push);
  return a2aTaskStore(scope).find(owner, task.id);
}

const continuesAtOnce = () =>
  new A2aRefusal(
    'unsupported',
    'The answer to a flow continues it at once; send it without returnImmediately',
  );

const adding = (
  scope: Scope,
  { task, message: { id, parts } }: TaskAnswer,
  leaseUntil: string | null,
): Promise<{ task: A2aTask; write: Write }> =>
  a2aTaskStore(scope).prepareMessage(task, { id, parts }, leaseUntil);

const notWaiting = (state: string) =>
  new A2aRefusal(
    'unsupported',
    state === 'working'
      ? 'The task is working, and takes no message until it asks for one'
      : `The task is ${state}. Send a message without taskId, in the same context`,
  );

const Answers = z.strictObject({
  toolOutputs: z.record(z.string(), z.unknown()).optional(),
  decisions: z.array(Decision).max(100).optional(),
});

const yes = /^(approved?|allow|yes|ok)\b/i;
const no = /^(den(y|ied)|reject(ed)?|no)\b/i;

/** A data part with `toolOutputs` or `decisions`. A single question takes any data or text: the output, or approve or deny. */
function readAnswer(
  parts: readonly A2aPart[],
  waits: readonly TaskWait[],
  approves: boolean,
): Pick<GivenAnswers, 'toolOutputs' | 'decisions'> {
  const data = parts.flatMap((part) => ('data' in part ? [part.data] : []));
  const [first] = data;
  const isFull =
    typeof first === 'object' && first !== null && ('toolOutputs' in first || 'decisions' in first);
  if (isFull) {
    const { data: answers, error } = Answers.safeParse(first);
    const [issue] = error?.issues ?? [];
    if (issue) {
      throw new A2aRefusal(
        'malformed',
        [issue.path.join('../../../functions/surface-a2a'), issue.message].filter(Boolean).join(': '),
      );
    }
    const { toolOutputs = {}, decisions = [] } = answers ?? {};
    if (decisions.length > 0 && !approves) throw notByCaller();
    if (Object.keys(toolOutputs).length + decisions.length > 0) return answers ?? {};
    throw new A2aRefusal('malformed', 'The message answers nothing: toolOutputs and decisions are empty');
  }
  const [wait, ...others] = waits;
  if (!wait || others.length > 0) {
    throw new A2aRefusal('malformed', 'Send a data part with toolOutputs by toolCallId, or with decisions');
  }
  if (parts.some((part) => 'url' in part || 'bytes' in part)) {
    throw new A2aRefusal('content-type', 'Answers are text and data, and no files');
  }
  const text = textOfParts(parts).trim();
  if (wait.kind === 'output') return { toolOutputs: { [wait.callId]: first === undefined ? text : first } };
  const decision = yes.test(text) ? 'approved' : no.test(text) ? 'denied' : undefined;
  if (!approves) throw notByCaller();
  if (decision) return { decisions: [{ approvalId: wait.approvalId ?? '', decision }] };
  throw new A2aRefusal('malformed', 'Send the text approve or deny, or a data part with decisions');
}

const notByCaller = () =>
  new A2aRefusal('unsupported', 'The operator of the agent decides its calls, not the caller');
