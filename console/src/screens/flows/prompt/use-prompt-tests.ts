import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import type { FollowedFlowRun } from '../../../run/flow-run.ts';
import { useEditing } from '../data/editing.tsx';
import { keptResults } from '../data/kept-results.ts';
import { planUpTo, stepsUpTo } from '../data/plan.ts';
import { acts, editorRunRequest, type StepDataNow } from '../data/use-step-data.ts';
import type { Step } from '../steps/steps.ts';
import { type Trial, useTrials } from './use-trials.ts';

interface Tests {
  step: Step;
  data: StepDataNow;
  models: readonly string[];
  /** How many records; 1 is the sample record. */
  records: number;
  /** Of the records, if there is more than one. */
  type: string | undefined;
}

/** For records other than the sample, all steps run. */
export const withoutOutcomes = { acts, outcomeOf: () => undefined };

/** Runs a prompt with each of some models on each of some records. */
export function usePromptTests({ step, data: { record, rules }, models, records, type }: Tests) {
  const { flowName, steps, keep } = useEditing();
  const api = useApi();
  const [error, setError] = useState<Error>();
  const running = useTrials();
  const isOne = records === 1;

  async function recordsToTry(): Promise<Trial['record'][]> {
    if (isOne) return [{ name: record.name, sent: record.sent }];
    const query = { limit: records, includeFields: 'name', ...(type && { type }) };
    const { data } = await api.records.list({ query });
    return data.map(({ id, name }) => ({ name, sent: { id } }));
  }
  function requestFor({ model, record: { sent } }: Trial) {
    const ofModel = stepsUpTo(steps, step.id, (it) => [{ ...it, config: { ...it.config, model } }]) ?? [];
    return editorRunRequest(flowName, planUpTo(ofModel, step.id, isOne ? rules : withoutOutcomes), sent);
  }
  /** What the step makes of the sample record is its output for the steps after it. */
  function keepOf({ key }: Trial, run: FollowedFlowRun) {
    if (!isOne || key !== '0 0') return;
    const results = keptResults({
      steps,
      record: record.sent,
      run,
      acts,
      reused: new Set(),
      lastId: step.id,
    });
    keep(new Map([...results].filter(([id]) => id === step.id)));
  }
  async function start() {
    setError(undefined);
    try {
      const chosen = await recordsToTry();
      const trials = chosen.flatMap((each, row) =>
        models.map((model, column) => ({ key: `${row} ${column}`, model, record: each })),
      );
      await running.start(trials, requestFor, keepOf);
    } catch (caught) {
      setError(caught as Error);
    }
  }
  return { ...running, error, start };
}
