import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod';
import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { StepError } from '../../core/step-error.ts';
import { type Config, type Output, waitUntilStep } from '../../domain/flows/step-types/wait-until.ts';
import {
  defineStepRunner,
  type StepOutcome,
  type StepRun,
  type Suspended,
} from '../step-support/step-runner.ts';

/** As long as a wait may keep its worker; one that takes longer is suspended. */
const inPlaceMs = 10_000;
const defaults = { timeoutMs: 300_000, pollIntervalMs: 5_000 };
type Outcome = StepOutcome<z.input<typeof Output>>;

export const waitUntil = defineStepRunner(waitUntilStep, {
  async run(step): Promise<Outcome | Suspended> {
    const { config, ports, since, signal } = step;
    for (;;) {
      const waitedMs = ports.now().getTime() - since.getTime();
      const next =
        config.delayMs === undefined ? await poll(step, waitedMs) : pause(config.delayMs, waitedMs);
      if ('output' in next) return next;
      if (next.at > inPlaceMs)
        return { until: new Date(since.getTime() + suspendedUntil(step, next.at, waitedMs)) };
      await sleep(next.at - waitedMs, undefined, { signal });
    }
  },
});

/** What a look at the clock or the condition tells: that the wait is over, or when to look again (ms after its beginning). */
type Look = Outcome | { at: number };

const pause = (delayMs: number, waitedMs: number): Look =>
  waitedMs >= delayMs ? { output: { waitedMs, result: null } } : { at: delayMs };

async function poll(step: StepRun<Config>, waitedMs: number): Promise<Look> {
  const { condition = 'true', timeoutMs = defaults.timeoutMs, pollIntervalMs } = step.config;
  const variables = await presentVariables(step, condition);
  const result = await evaluateExpression(step.ports.sandbox, condition, variables, { signal: step.signal });
  if (result) return { output: { waitedMs, result } };
  if (waitedMs >= timeoutMs) {
    throw new StepError(`The condition did not hold within ${timeoutMs} ms: ${condition.slice(0, 200)}`);
  }
  return { at: Math.min(waitedMs + (pollIntervalMs ?? defaults.pollIntervalMs), timeoutMs) };
}

/** Who is suspended looks up every ten seconds at most: each look is a message and a worker's start. */
function suspendedUntil({ config }: StepRun<Config>, at: number, waitedMs: number): number {
  if (config.delayMs !== undefined) return at;
  return Math.min(Math.max(at, waitedMs + inPlaceMs), config.timeoutMs ?? defaults.timeoutMs);
}

/** The variables with the run's record as it is now: else a condition on it would never change. */
async function presentVariables({ variables, ports }: StepRun<Config>, condition: string) {
  const { id } = (variables._record ?? {}) as { id?: string | null };
  if (!id || !condition.includes('_record')) return variables;
  const record = await ports.records.find({ id });
  if (!record) throw new StepError('The record was deleted while the flow waited for it');
  return { ...variables, _record: record };
}
