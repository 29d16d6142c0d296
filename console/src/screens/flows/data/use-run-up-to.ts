import { useEffect, useRef } from 'react';
import { useFlowRun } from '../../../run/use-flow-run.ts';
import { eachStep } from '../steps/places.ts';
import type { Step } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { keptResults } from './kept-results.ts';
import { planUpTo } from './plan.ts';
import { acts, editorRunRequest, type StepDataNow } from './use-step-data.ts';

interface Begun {
  steps: readonly Step[];
  record: unknown;
  reused: ReadonlySet<string>;
  lastId: string;
}

/** Runs all steps up to one, also those that cost something, and keeps their results. */
export function useRunUpTo(lastId: string, { record, rules }: Pick<StepDataNow, 'record' | 'rules'>) {
  const { flowName, steps, keep } = useEditing();
  const { run, isRunning, error, start, stop } = useFlowRun();
  const begun = useRef<Begun>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once at the end of each run
  useEffect(() => {
    if (isRunning || !run || !begun.current) return;
    keep(keptResults({ ...begun.current, run, acts }));
    begun.current = undefined;
  }, [isRunning, run]);
  return {
    run,
    isRunning,
    error,
    stop,
    /** @param id A step before, to run no further than that. */
    start(id = lastId) {
      const all = [...eachStep(steps)].map(({ step }) => step);
      const reused = all.filter((step) => step.id !== id && acts(step) && rules.outcomeOf(step));
      begun.current = {
        steps,
        record: record.sent,
        lastId: id,
        reused: new Set(reused.map((step) => step.id)),
      };
      return start(async () => editorRunRequest(flowName, planUpTo(steps, id, rules), record.sent));
    },
  };
}
