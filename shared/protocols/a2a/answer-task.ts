/**
 * Continues a task that waits for its caller, with the answer in a message: outputs of tools, or decisions on approvals.
 * Order: return the task if it has the message already; check that it waits and that the answer fits; register the push
 * receiver; write the message and the answer in one transaction; then run on. An agent continues through its queue and is
 * followed from its log, a flow continues in this process under the lease of the task (`renewWhileOpen` in `start-task.ts`).
 * After a crash behind the transaction, a repeated message finds itself in the task and changes nothing.
 * `served-surface.ts` calls it for messages with a task id; `start-task.ts` begins new tasks.
 */
import * as z from 'zod';
import { A2aRefusal, type IncomingMessage } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { toRunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { callersApprove } from '../../domain/surfaces/surface/surface-behavior.ts';
import { answerWaits, Decision, type GivenAnswers } from '../../execution/agent-runs/answer-run.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { executeFlowRun } from '../../execution/dispatch/execute-flow-run.ts';
import { resumeFlowRun } from '../../execution/dispatch/resume.ts';
import { getFlowTimeMs } from '../../execution/targets/front-policy.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { flowEvents } from '../run-events/flow-events.ts';
import { type A2aCall, textOfParts } from './parameters.ts';
import { leaseEnd, renewWhileOpen, type StartedTask } from './start-task.ts';
import { type TaskWait, taskProgress } from './task-progress.ts';
import { taskReceivers } from './task-receivers.ts';

interface TaskAnswer {
  found: ExposedItem;
  task: A2aTask;
  message: IncomingMessage;
}

/** Answers a task. An answer that was sent before gives the task as it is, also if both arrive at once. @throws A2aRefusal */
export async function answerOnce(scope: Scope, call: A2aCall, taskAnswer: TaskAnswer): Promise<StartedTask> {
  const { task, message } = taskAnswer;
  const { find, hasMessage } = a2aTaskStore(scope);
  if (await hasMessage(task, message)) return { task, events: undefined, isRepeated: true };
  try {
    return await answerTask(scope, call, taskAnswer);
  } catch (error) {
    const after = await find(call.owner, task.id);
    if (await hasMessage(after, message)) return { task: after, events: undefined, isRepeated: true };
    throw error;
  }
}

/** Adds the answer in the run's transaction. @throws A2aRefusal if the task does not wait, or for no answer */
export async function answerTask(scope: Scope, call: A2aCall, taskAnswer: TaskAnswer): Promise<StartedTask> {
  const { found, task, message } = taskAnswer;
  const progress = await taskProgress(scope)(task);
  if (progress.state !== 'input-required') throw notWaiting(progress.state);
  // The setting as it was when the task told its caller, and as it is now.
  const approves = task.approves === true && callersApprove(found.surface);
  const said = readAnswer(message.parts, progress.waits, approves);
  if (task.kind === 'flow' && message.returnsAtOnce) throw continuesAtOnce();
  const current = { ...taskAnswer, task: await registerReceiver(scope, call, taskAnswer) };
  if (task.kind === 'flow') return answerFlow(scope, call, current, said.toolOutputs ?? {});
  const { task: after, write } = await prepareMessage(scope, current, null);
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
  taskAnswer: TaskAnswer,
  toolOutputs: Record<string, unknown>,
): Promise<StartedTask> {
  const { found, task } = taskAnswer;
  const { task: after, write } = await prepareMessage(scope, taskAnswer, leaseEnd(scope));
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
  return { task: after, events: renewWhileOpen(scope, after, events) };
}

/** The task with the receiver that its answer names: the run that continues knows whether somebody is told. */
async function registerReceiver(
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

const prepareMessage = (
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
      throw new A2aRefusal('malformed', [issue.path.join('.'), issue.message].filter(Boolean).join(': '));
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
