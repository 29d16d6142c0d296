import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { inPlaceMsMax, StepError } from '../../core/errors/step-error.ts';
import {
  type Output,
  type WaitUntilConfig,
  waitUntilStep,
} from '../../domain/flows/step-types/wait-until.ts';
import {
  defineFreeRunner,
  type StepOutcome,
  type StepRun,
  type Suspended,
} from '../step-support/step-runner.ts';

const defaults = { timeoutMs: 300_000, pollIntervalMs: 5_000 };
type Outcome = StepOutcome<z.input<typeof Output>>;

export const waitUntilRunner = defineFreeRunner(waitUntilStep, {
  async run(step): Promise<Outcome | Suspended> {
    const { config, ports, since, signal } = step;
    for (;;) {
      const waitedMs = ports.now().getTime() - since.getTime();
      const next =
        config.delayMs === undefined
          ? await checkCondition(step, waitedMs)
          : checkDelay(config.delayMs, waitedMs);
      if ('output' in next) return next;
      if (next.at > inPlaceMsMax)
        return { until: new Date(since.getTime() + getResumeTime(step, next.at, waitedMs)) };
      await sleep(next.at - waitedMs, undefined, { signal });
    }
  },
});

/** The outcome if the wait is over; otherwise when to check again (ms since the wait began). */
type WaitCheck = Outcome | { at: number };

const checkDelay = (delayMs: number, waitedMs: number): WaitCheck =>
  waitedMs >= delayMs ? { output: { waitedMs, result: null } } : { at: delayMs };

async function checkCondition(step: StepRun<WaitUntilConfig>, waitedMs: number): Promise<WaitCheck> {
  const { condition = 'true', timeoutMs = defaults.timeoutMs, pollIntervalMs } = step.config;
  const variables = await getCurrentVariables(step, condition);
  const result = await evaluateExpression(step.ports.sandbox, condition, variables, {
    signal: step.signal,
    shown: step.ports.shown,
  });
  if (result) return { output: { waitedMs, result } };
  if (waitedMs >= timeoutMs) {
    throw new StepError(`The condition did not hold within ${timeoutMs} ms: ${condition.slice(0, 200)}`);
  }
  return { at: Math.min(waitedMs + (pollIntervalMs ?? defaults.pollIntervalMs), timeoutMs) };
}

/** In ms since the wait began. Polls at most every ten seconds: each poll costs a message and an invocation. */
function getResumeTime({ config }: StepRun<WaitUntilConfig>, at: number, waitedMs: number): number {
  if (config.delayMs !== undefined) return at;
  return Math.min(Math.max(at, waitedMs + inPlaceMsMax), config.timeoutMs ?? defaults.timeoutMs);
}

/** The variables, with the current state of the run's record if the condition reads it. */
async function getCurrentVariables({ variables, ports }: StepRun<WaitUntilConfig>, condition: string) {
  const { id } = (variables._record ?? {}) as { id?: string | null };
  if (!id || !condition.includes('_record')) return variables;
  const record = await ports.records.find({ id });
  if (!record) throw new StepError('The record was deleted while the run waited');
  return { ...variables, _record: record };
}
