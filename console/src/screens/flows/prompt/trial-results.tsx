import { useModels } from '../../../api/models.ts';
import { ShownModel } from '../../../run/models/shown-model.tsx';
import { usageSummary } from '../../../run/parts/facts.ts';
import { PartsView } from '../../../run/parts/parts-view.tsx';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { Value } from '../../../ui/values/value.tsx';
import { trialTotals } from './trial-totals.ts';
import type { Trial, TrialState } from './use-trials.ts';

interface Props {
  stepId: string;
  trials: readonly Trial[];
  states: ReadonlyMap<string, TrialState>;
  isRunning: boolean;
}

/** The outputs: a column for each model, or with one model, one for each record. */
export function TrialResults({ stepId, trials, states, isRunning }: Props) {
  if (trials.length === 0) return null;
  const models = [...new Set(trials.map(({ key }) => key.split(' ')[1]))].map((column) =>
    trials.filter(({ key }) => key.endsWith(` ${column}`)),
  );
  const isMany = trials.length > models.length;
  return (
    <div className="prompt-results">
      <p className="visually-hidden" role="status">
        {isRunning ? editorTexts.running : editorTexts.runsEnded}
      </p>
      {isMany && (
        <ul className={`prompt-totals columns-${models.length}`}>
          {models.map((column) => (
            <li key={column[0]?.key}>
              <strong>
                <ShownModel of={column[0]?.model} />
              </strong>{' '}
              <span className="help">
                {trialTotals(
                  column.flatMap(({ key }) => states.get(key) ?? []),
                  stepId,
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      <ul className={`prompt-outputs ${models.length === 1 && isMany ? 'many' : `columns-${models.length}`}`}>
        {trials.map((trial) => (
          <Result
            key={trial.key}
            trial={trial}
            stepId={stepId}
            isMany={isMany}
            state={states.get(trial.key)}
          />
        ))}
      </ul>
    </div>
  );
}

interface ResultProps {
  trial: Trial;
  stepId: string;
  state: TrialState | undefined;
  /** Whether there is more than one record. */
  isMany: boolean;
}

function Result({ trial: { model, record }, stepId, state, isMany }: ResultProps) {
  const { find } = useModels();
  if (!state) return null;
  const name = find(model)?.name ?? model;
  const { run, status, error } = state;
  const step = run.steps.find(({ id }) => id === stepId);
  const failed = run.steps.find((each) => each.status === 'failed' && each.id !== stepId);
  const problem =
    step?.error ?? (failed ? editorTexts.stepFailed(failed.name, failed.error ?? '') : run.end?.error);
  const shown = problem || error ? 'failed' : status === 'ended' ? 'completed' : status;
  return (
    <li aria-label={isMany ? `${record.name}, ${name}` : name}>
      <p className="prompt-role">
        <strong>
          <bdi>{isMany ? record.name : name}</bdi>
        </strong>{' '}
        <StatusLabel of={shown} />
      </p>
      {error && <FailureNotice error={error} />}
      {problem && <p className="problem">{problem}</p>}
      {step?.status === 'completed' && <Value of={step.output ?? null} label={editorTexts.outputOf(name)} />}
      {step?.status === 'running' && <PartsView parts={step.parts} />}
      {!step && shown === 'completed' && <p className="help">{editorTexts.notReached}</p>}
      {step && step.status !== 'running' && <p className="help">{usageSummary(step)}</p>}
    </li>
  );
}
