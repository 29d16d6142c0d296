import type { RunWait } from '../../domain/run-waits/run-wait.ts';
import { waitStore } from '../../domain/run-waits/wait-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { OpenWait } from '../engine/engine.ts';
import { RunMessage } from './run-message.ts';
import { scheduleTimer } from './run-timer.ts';

/**
 * Lets answers resume a run that is suspended now. @returns whether one came before: then nothing else resumes the run.
 */
export async function resumeByAnswers(
  scope: Scope,
  waits: readonly OpenWait[],
  message: RunMessage,
): Promise<boolean> {
  const { polls: _polls, ...resume } = message;
  const open = waits.filter(({ needsResume }) => needsResume);
  const stored = await Promise.all(
    open.map(({ path }) => waitStore(scope).resumeWith({ runId: message.runId, path }, resume)),
  );
  return stored.some((wait) => wait?.answer !== undefined);
}

/** Resumes the run of a wait, unless it is not suspended yet. */
export const answerResumer = /* @__PURE__ */ using(
  ['queue:wakes'],
  (scope: Scope) =>
    async ({ resume }: RunWait, afterMs = 0): Promise<void> => {
      if (!resume) return;
      // The number tells this timer apart from those that the run itself has set.
      const wake = scope.now().getTime() + afterMs;
      await scheduleTimer(scope, new Date(wake), { ...RunMessage.parse(resume), wake });
    },
);
