import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { Failure } from '../../../ui/loading/failure.tsx';
import { ModelField } from '../../agents/model-field.tsx';
import { useEditing } from '../data/editing.tsx';
import { resultsOf } from '../data/kept-results.ts';
import { actingBefore, planUpTo, stepsUpTo } from '../data/plan.ts';
import { acts, requestOf, type StepDataNow } from '../data/use-step-data.ts';
import type { Step } from '../editor/steps.ts';
import { TrialResults } from './trial-results.tsx';
import { expectedText } from './trial-totals.ts';
import { usePrices } from './use-prices.ts';
import { type Trial, useTrials } from './use-trials.ts';

interface Props {
  step: Step;
  data: StepDataNow;
  inputTokens: number;
}

const counts = ['1', '3', '10'] as const;
const noOutcome = () => undefined;

/** Runs the prompt on one record or several, with one model or two, and shows the outputs side by side. */
export function Trials({ step, data, inputTokens }: Props) {
  const { flowName, steps, keep } = useEditing();
  const { call } = useApi();
  const [wanted, setWanted] = useState<(typeof counts)[number]>('1');
  const [second, setSecond] = useState<string>();
  const [error, setError] = useState<Error>();
  const running = useTrials();
  const priceOf = usePrices();
  const { record, rules, waitsFor } = data;
  const own = String(step.config?.model ?? '');
  const models = second === undefined ? [own] : [own, second || 'default'];
  const isOne = wanted === '1';
  const type = typeof record.seen === 'object' ? (record.seen as { type?: string } | null)?.type : undefined;
  const alsoRun = isOne ? [] : actingBefore(steps, step.id, { acts, outcomeOf: noOutcome });

  async function recordsToTry(): Promise<Trial['record'][]> {
    if (isOne) return [{ name: record.name, sent: record.sent }];
    const query = { limit: Number(wanted), includeFields: 'name', ...(type && { type }) };
    const { data: found } = await call('GET /v1/records', { query });
    return found.map(({ id, name }) => ({ name, sent: { id } }));
  }
  function requestFor({ model, record: { sent } }: Trial) {
    const withModel = stepsUpTo(steps, step.id, (it) => [{ ...it, config: { ...it.config, model } }]) ?? [];
    return requestOf(
      flowName,
      planUpTo(withModel, step.id, isOne ? rules : { acts, outcomeOf: noOutcome }),
      sent,
    );
  }
  async function run() {
    setError(undefined);
    try {
      const records = await recordsToTry();
      const trials = records.flatMap((each, row) =>
        models.map((model, column) => ({ key: `${row} ${column}`, model, record: each })),
      );
      await running.start(trials, requestFor, (trial, ended) => {
        // It is what the step makes of the sample record.
        if (isOne && trial.key === '0 0')
          keep(
            resultsOf({
              ...{ steps, record: record.sent, run: ended, acts },
              reused: new Set(),
              lastId: step.id,
            }),
          );
      });
    } catch (caught) {
      setError(caught as Error);
    }
  }

  return (
    <div className="prompt-trials">
      <div className="prompt-controls">
        <Choice
          label="Run on"
          value={wanted}
          options={counts.map((value) => ({
            value,
            label: value === '1' ? 'The sample record' : `${value} records${type ? ` of ${type}` : ''}`,
          }))}
          onChange={setWanted}
        />
        {second !== undefined && <ModelField label="Second model" value={second} onChange={setSecond} />}
        <Button look="quiet" onPress={() => setSecond(second === undefined ? '' : undefined)}>
          {second === undefined ? 'Compare with another model' : 'Remove second model'}
        </Button>
      </div>
      {alsoRun.length > 0 && (
        <p className="note">For each record, these run too: {alsoRun.map(({ name }) => name).join(', ')}.</p>
      )}
      <div className="row">
        <Button
          look="primary"
          isPending={running.isRunning}
          isDisabled={record.isLoading || (isOne && waitsFor.length > 0)}
          onPress={run}
        >
          Run prompt
        </Button>
        {running.isRunning && <Button onPress={running.stop}>Stop</Button>}
        <span className="help">
          {isOne && waitsFor.length > 0
            ? 'The steps before it have to run first.'
            : expectedText(models, { records: Number(wanted), inputTokens, priceOf })}
        </span>
      </div>
      {error && <Failure error={error} />}
      <TrialResults stepId={step.id} {...running} />
    </div>
  );
}
