/**
 * Answers runs that wait for a person or a callback: finds the wait, checks the answer, stores it and resumes the run.
 * The resumption is enqueued with a delay before the answer is stored, and again without a delay afterwards; so a
 * process that dies in between leaves a message that finds the answer. The first answer that is stored counts, and
 * others get a 409. An answer is refused once the run or the time to answer is over.
 * A wait is found by a link's token (`linkedWait`), or by run, step and item (`waitFinder`), where several matches are
 * an error.
 * `functions/run-waits` and `functions/runs/answer.ts` are the callers; waits and links are stored by
 * `domain/run-waits`, and `answerResumer` resumes.
 */
import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import type { WaitAnswer } from '../../adapters/ports/waits-port.ts';
import { sandbox } from '../../adapters/sandbox/sandbox.ts';
import { conflict, invalid, invalidAt, notFound, toDetail, tooLarge } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import type { RunWait } from '../../domain/run-waits/run-wait.ts';
import { linkOfToken } from '../../domain/run-waits/wait-link.ts';
import { waitStore } from '../../domain/run-waits/wait-store.ts';
import { type Run, runEntity, toInsideKey } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { answerResumer } from '../batches/resume-by-answer.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';

export interface ChosenAnswer {
  choice: string;
  values?: Record<string, unknown> | undefined;
  comment?: string | undefined;
}

/** Answers for runs that wait. Of several answers at once, one counts. */
export const waitAnswers = /* @__PURE__ */ using(
  [waitStore, 'table:read', answerResumer, sandbox],
  (scope: Scope) => {
    const store = waitStore(scope);

    /** @throws 409 if it is answered, its time is over, or its run has ended. */
    async function assertOpen(wait: RunWait): Promise<void> {
      if (wait.answer) throw isAnswered();
      if (new Date(wait.expiresAt) <= scope.now()) throw conflict('The time to answer is over');
      const [listed, checkpoints] = await Promise.all([
        readListed(scope, wait),
        readCheckpoints(scope, wait),
      ]);
      if (listed?.completedAt !== undefined || checkpoints.at(-1)?.end) throw conflict('The run is over');
    }

    async function give(wait: RunWait, content: Omit<WaitAnswer, 'answeredAt'>): Promise<WaitAnswer> {
      await assertOpen(wait);
      const answer = { ...content, answeredAt: scope.now().toISOString() };
      // If the process dies between the answer and the message, this one finds the answer.
      await answerResumer(scope)(wait, safetyMs);
      const after = await store.answer(wait, answer);
      if (!after) throw notFound('Run');
      if (JSON.stringify(after.answer) !== JSON.stringify(answer)) throw isAnswered();
      await answerResumer(scope)(after).catch((error) =>
        log.warn('An answered run is resumed a few seconds later', { error, runId: wait.runId }),
      );
      return answer;
    }

    return {
      assertOpen,

      /** @throws 400 for a wrong choice and for values that do not fit, 409 if it is no longer open */
      async approve(
        wait: RunWait,
        { choice, values, comment }: ChosenAnswer,
        by: string,
      ): Promise<WaitAnswer> {
        const { choices = [], form } = wait;
        const bytes = Buffer.byteLength(JSON.stringify(values ?? null));
        if (bytes > valueBytesMax) throw tooLarge(`The values have at most ${valueBytesMax} bytes`);
        if (!choices.includes(choice)) {
          throw invalidAt('choice', 'INVALID_VALUE', `Expected one of ${choices.join(', ')}`);
        }
        if (form && values !== undefined) {
          const problems = await checkValue(sandbox(scope), form, values);
          if (problems.length > 0) {
            throw invalid(
              problems.map(({ path, message }) =>
                toDetail(['values', ...path.split('.').filter(Boolean)], 'INVALID_VALUE', message),
              ),
            );
          }
        }
        if (form && values === undefined) {
          throw invalidAt('values', 'MISSING_REQUIRED_FIELD', 'Required: the values that the form asks for');
        }
        return give(wait, { choice, values: values ?? null, comment: comment ?? null, answeredBy: by });
      },

      /** @throws 409 if it is no longer open */
      callBack: (wait: RunWait, body: unknown): Promise<WaitAnswer> =>
        give(wait, { choice: 'called', values: body, comment: null, answeredBy: null }),
    };
  },
);

/** A run inside of an agent's is listed elsewhere. */
const readListed = async ({ table }: Scope, { listedId: id }: RunWait): Promise<Run | undefined> =>
  (await table.get(runEntity, { id }, { consistent: true })) ??
  (await table.get(runEntity, toInsideKey(id), { consistent: true }));

/** Longer than the write of an answer takes. */
const safetyMs = 5_000;

/** An answer is stored with its question. */
const valueBytesMax = 100_000;

const isAnswered = () => conflict('It has been answered already');

export interface LinkedWait {
  wait: RunWait;
  /** To whom the link was sent. */
  address: string | null;
}

/** The wait for whose answer somebody has a token. */
export const linkedWait = /* @__PURE__ */ using([waitStore, waitAnswers], (scope: Scope) => ({
  /** @throws 404 for a wrong token and one of another kind, 409 if it is no longer open */
  async open(token: string, kind: RunWait['kind']): Promise<LinkedWait> {
    const link = await linkOfToken(scope, token);
    const wait = link && (await waitStore(scope).get(link));
    if (!wait || wait.kind !== kind) throw notFound('Link');
    await waitAnswers(scope).assertOpen(wait);
    return { wait, address: link.address };
  },
}));
