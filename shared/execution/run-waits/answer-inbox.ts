import type { WaitAnswer } from '../../adapters/ports/waits-port.ts';
import { invalidAt, notFound, unprocessable } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import { assertAwaited } from '../../domain/run-waits/inbox-store.ts';
import type { InboxWait } from '../../domain/run-waits/inbox-wait.ts';
import { waitStore } from '../../domain/run-waits/wait-store.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { answerWaits } from '../agent-runs/answer-run.ts';
import { findOutermost } from '../agent-runs/inside-waits.ts';
import { findExecution } from '../agent-runs/run-log.ts';
import { type ChosenAnswer, waitAnswers } from './answer-wait.ts';

/**
 * Answers an entry of the inbox, as the run that waits takes it.
 * A question of a flow is answered like by `POST /v1/runs/{id}/answer` (`run-waits/answer-wait.ts`). A call of an agent becomes
 * a decision or a result in the log of its run (`agent-runs/answer-run.ts`); a worker continues the run, also one that began in
 * front of a caller, and of one inside of another the outermost one (`agent-runs/inside-waits.ts`).
 * The message to the worker is sent with a delay before the answer is stored, and again afterwards: a process that dies in
 * between leaves a message that finds the answer.
 */

export interface InboxAnswer extends Pick<ChosenAnswer, 'comment'> {
  choice?: string | undefined;
  values?: unknown;
}

const decisions: Record<string, 'approved' | 'denied'> = { approve: 'approved', reject: 'denied' };
const safetySeconds = 5;

export const inboxAnswers = /* @__PURE__ */ using(
  [
    waitAnswers,
    waitStore,
    agentRunQueue,
    'payloads:read',
    'payloads:write',
    'table:write',
    'table:delete',
    'payloads:delete',
    'queue:deliveries',
    runEnd,
  ],
  (scope: Scope) => {
    async function answerStep(wait: InboxWait, answer: InboxAnswer, by: string): Promise<WaitAnswer> {
      const { runId, path = '' } = wait;
      const asked = await waitStore(scope).get({ runId, path });
      if (!asked) throw notFound('Wait');
      if (asked.kind === 'callback')
        throw unprocessable({
          path: 'id',
          code: 'INVALID_VALUE',
          message: 'A callback is awaited at its address, and takes no answer here',
        });
      const { choice, comment } = answer;
      if (choice === undefined) throw createMissing('choice');
      return waitAnswers(scope).approve(asked, { choice, comment, values: toMembers(answer.values) }, by);
    }

    async function answerCall(
      wait: InboxWait,
      { choice, values, comment }: InboxAnswer,
      principal: Principal,
    ): Promise<WaitAnswer> {
      const { runId: executionId, callId = '', approvalId } = wait;
      const answers =
        approvalId === undefined
          ? { toolOutputs: { [callId]: values ?? fail('values') } }
          : { decisions: [toDecision(approvalId, choice, comment)] };
      const queue = agentRunQueue(scope);
      const { id: outermostId } = await findOutermost(scope, await findExecution(scope, executionId));
      await queue.send(outermostId, { delaySeconds: safetySeconds });
      await answerWaits(scope, principal, { executionId }, { ...answers, isLeft: true });
      await queue
        .send(outermostId)
        .catch((error) =>
          log.warn('An answered run is continued a few seconds later', { error, executionId }),
        );
      return {
        choice: approvalId === undefined ? null : (choice ?? null),
        values: values ?? null,
        comment: comment ?? null,
        answeredBy: principal.keyId ?? principal.userId,
        answeredAt: scope.now().toISOString(),
      };
    }

    /** @throws 400, 403, 404, 409 if it is answered or over, 422 for a callback */
    return (wait: InboxWait, answer: InboxAnswer, principal: Principal): Promise<WaitAnswer> => {
      assertAwaited(wait);
      return wait.runKind === 'flow'
        ? answerStep(wait, answer, principal.keyId ?? principal.userId)
        : answerCall(wait, answer, principal);
    };
  },
);

const createMissing = (name: string) =>
  invalidAt(name, 'MISSING_REQUIRED_FIELD', `Required: the ${name} of the answer`);

function fail(name: string): never {
  throw createMissing(name);
}

function toMembers(values: unknown): ChosenAnswer['values'] {
  if (values === undefined) return undefined;
  if (typeof values === 'object' && values !== null && !Array.isArray(values))
    return values as Record<string, unknown>;
  throw invalidAt('values', 'INVALID_TYPE', 'Expected an object: the values that the form asks for');
}

function toDecision(approvalId: string, choice: string | undefined, comment: string | undefined) {
  const decision = decisions[choice ?? ''];
  if (!decision) throw invalidAt('choice', 'INVALID_VALUE', 'Expected one of approve, reject');
  return { approvalId, decision, ...(comment !== undefined && { reason: comment }) };
}
