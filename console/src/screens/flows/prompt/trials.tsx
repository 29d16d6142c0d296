import { useState } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { ModelField } from '../../agents/parts/model-field.tsx';
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
  const stepModel = String(step.config?.model ?? '');
  const models = second === undefined ? [stepModel] : [stepModel, second || 'default'];
  const isOne = wanted === '1';
  const type = typeof record.seen === 'object' ? (record.seen as { type?: string } | null)?.type : undefined;
  const alsoRun = isOne ? [] : actingBefore(steps, step.id, withoutOutcomes);

  const running = usePromptTests({ step, data, models, records: Number(wanted), type });

  return (
    <div className="prompt-trials">
      <div className="prompt-controls">
        <Choice
          label={editorTexts.runOn}
          value={wanted}
          options={counts.map((value) => ({
            value,
            label:
              value === '1'
                ? editorTexts.sampleRecord
                : type
                  ? editorTexts.recordsOfType(value, type)
                  : editorTexts.records(value),
          }))}
          onChange={setWanted}
        />
        {second !== undefined && (
          <ModelField label={editorTexts.secondModel} value={second} onChange={setSecond} />
        )}
        <Button look="quiet" onPress={() => setSecond(second === undefined ? '' : undefined)}>
          {second === undefined ? editorTexts.compareWithAnotherModel : editorTexts.removeSecondModel}
        </Button>
      </div>
      {alsoRun.length > 0 && (
        <p className="note">{editorTexts.runForEachRecord(alsoRun.map(({ name }) => name))}</p>
      )}
      <div className="row">
        <Button
          look="primary"
          isPending={running.isRunning}
          isDisabled={record.isLoading || (isOne && waitsFor.length > 0)}
          onPress={running.start}
        >
          {editorTexts.runPrompt}
        </Button>
        {running.isRunning && <Button onPress={running.stop}>{sharedTexts.stop}</Button>}
        <span className="help">
          {isOne && waitsFor.length > 0
            ? editorTexts.stepsBeforeRunFirst
            : expectedText(models, { records: Number(wanted), inputTokens, priceOf })}
        </span>
      </div>
      {running.error && <FailureNotice error={running.error} />}
      <TrialResults
        stepId={step.id}
        trials={running.trials}
        states={running.states}
        isRunning={running.isRunning}
      />
    </div>
  );
}
