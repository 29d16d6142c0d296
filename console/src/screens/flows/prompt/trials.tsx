import { useState } from 'react';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { Failure } from '../../../ui/loading/failure.tsx';
import { ModelField } from '../../agents/model-field.tsx';
import { useEditing } from '../data/editing.tsx';
import { actingBefore } from '../data/plan.ts';
import type { StepDataNow } from '../data/use-step-data.ts';
import { usePrices } from '../prices/use-prices.ts';
import type { Step } from '../steps/steps.ts';
import { TrialResults } from './trial-results.tsx';
import { expectedText } from './trial-totals.ts';
import { usePromptTests, withoutOutcomes } from './use-prompt-tests.ts';

interface Props {
  step: Step;
  data: StepDataNow;
  inputTokens: number;
}

const counts = ['1', '3', '10'] as const;

/** Runs the prompt on one record or several, with one model or two, and shows the outputs side by side. */
export function Trials({ step, data, inputTokens }: Props) {
  const { steps } = useEditing();
  const [wanted, setWanted] = useState<(typeof counts)[number]>('1');
  const [second, setSecond] = useState<string>();
  const priceOf = usePrices();
  const { record, waitsFor } = data;
  const own = String(step.config?.model ?? '');
  const models = second === undefined ? [own] : [own, second || 'default'];
  const isOne = wanted === '1';
  const type = typeof record.seen === 'object' ? (record.seen as { type?: string } | null)?.type : undefined;
  const alsoRun = isOne ? [] : actingBefore(steps, step.id, withoutOutcomes);

  const running = usePromptTests({ step, data, models, records: Number(wanted), type });

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
          onPress={running.start}
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
      {running.error && <Failure error={running.error} />}
      <TrialResults
        stepId={step.id}
        trials={running.trials}
        states={running.states}
        isRunning={running.isRunning}
      />
    </div>
  );
}
