import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import type { Step } from '../steps/steps.ts';
import { stepEffectText, totalText, useExpectedCost } from './costs.ts';
import { useEditing } from './editing.tsx';
import type { useRunUpTo } from './use-run-up-to.ts';
import { acts, type StepDataNow } from './use-step-data.ts';

interface Props {
  step: Step;
  data: StepDataNow;
  running: ReturnType<typeof useRunUpTo>;
}

const listedMax = 5;

/** Runs what does not run by itself, and says before what it costs or does. */
export function RunUpTo({ step, data: { waitsFor, rules, record }, running }: Props) {
  const { kept, forget } = useEditing();
  const costOf = useExpectedCost();
  const hasRun = rules.outcomeOf(step) !== undefined;
  const runs = acts(step) ? [...waitsFor, step] : waitsFor;
  const { run, isRunning, error, start, stop } = running;
  const failed = run?.steps.find(({ status }) => status === 'failed');
  const at = run?.steps.findLast(({ status }) => status === 'running');
  if (runs.length === 0 && kept.size === 0) return null;
  return (
    <div className="step-run">
      {error && <FailureNotice error={error} />}
      {run?.end?.status === 'failed' && failed?.id !== step.id && (
        <p className="problem">
          {failed ? stepDataTexts.stepFailed(<bdi>{failed.name}</bdi>, failed.error) : run.end.error}
        </p>
      )}
      {runs.length > 0 && (
        <>
          <p className="help">{hasRun ? stepDataTexts.runsAgain : stepDataTexts.runByHand}</p>
          <ul>
            {runs.slice(0, listedMax).map((each) => (
              <li key={each.id}>
                <bdi>{each.name}</bdi>{' '}
                <span className="help">
                  {[stepEffectText(each), costOf(each).text].filter(Boolean).join(' · ')}
                </span>
              </li>
            ))}
            {runs.length > listedMax && (
              <li className="help">{stepDataTexts.more(runs.length - listedMax)}</li>
            )}
          </ul>
        </>
      )}
      <div className="row">
        {runs.length > 0 && (
          <Button isPending={isRunning} isDisabled={record.isLoading} onPress={() => start()}>
            {hasRun ? stepDataTexts.runAgain : stepDataTexts.runUpToHere}
          </Button>
        )}
        {isRunning && <Button onPress={stop}>{sharedTexts.stop}</Button>}
        {kept.size > 0 && !isRunning && (
          <Button look="quiet" onPress={forget}>
            {stepDataTexts.clearKeptResults}
          </Button>
        )}
        <span className="help" role="status">
          {isRunning
            ? stepDataTexts.running(at?.name ?? '')
            : runs.length > 1
              ? totalText(runs.map(costOf))
              : ''}
        </span>
      </div>
    </div>
  );
}
