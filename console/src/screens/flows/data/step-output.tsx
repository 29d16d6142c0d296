import { usageSummary } from '../../../run/parts/facts.ts';
import { PartsView } from '../../../run/parts/parts-view.tsx';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { Time } from '../../../ui/values/time.tsx';
import { Value } from '../../../ui/values/value.tsx';
import { type Step, stepVariable } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { before } from './kept-results.ts';
import { isWait } from './plan.ts';
import type { useRunUpTo } from './use-run-up-to.ts';
import { acts, type StepDataNow } from './use-step-data.ts';

interface Props {
  step: Step;
  data: StepDataNow;
  running: ReturnType<typeof useRunUpTo>;
}

/** What a step made: at once if it costs nothing, else when somebody last ran it. */
export function StepOutput({ step, data, running }: Props) {
  const name = stepVariable(step);
  return (
    <>
      {name && <p className="help">{stepDataTexts.setsVariable(<code>{name}</code>)}</p>}
      {acts(step) ? (
        <KeptOutput step={step} data={data} running={running} />
      ) : (
        <LiveOutput step={step} data={data} />
      )}
    </>
  );
}

function LiveOutput({ step, data: { run, waitsFor } }: Omit<Props, 'running'>) {
  if (step.enabled === false) return <p className="help">{stepDataTexts.stepIsOff}</p>;
  if (isWait(step)) return <p className="help">{stepDataTexts.editorDoesNotWait}</p>;
  const first = waitsFor[0];
  if (first) return <p className="help">{stepDataTexts.waitsFor(first.name)}</p>;
  const ran = run?.steps.find(({ id }) => id === step.id);
  if (ran?.status === 'completed')
    return (
      <>
        <Value of={ran.output ?? null} label={sharedTexts.output} />
        <p className="help">{usageSummary(ran)}</p>
      </>
    );
  if (ran?.status === 'failed') return <p className="problem">{ran.error}</p>;
  if (ran?.status === 'skipped')
    return <p className="help">{ran.when ? stepDataTexts.skippedNotTrue(ran.when) : sharedTexts.skipped}</p>;
  return run?.end ? <p className="help">{stepDataTexts.notReached}</p> : null;
}

function KeptOutput({ step, data: { rules, steps }, running: { run, isRunning } }: Props) {
  const { kept } = useEditing();
  const now = run?.steps.find(({ id }) => id === step.id);
  if (isRunning && now?.status === 'running') return <PartsView parts={now.parts} isWhole={false} />;
  if (now?.status === 'failed') return <p className="problem">{now.error}</p>;
  const result = rules.outcomeOf(step);
  if (!result)
    return (
      <p className="help">{kept.has(step.id) ? stepDataTexts.changedSinceItRan : sharedTexts.notRunYet}</p>
    );
  if (result.status === 'skipped') return <p className="help">{stepDataTexts.notReachedWhenItRan}</p>;
  return (
    <>
      <Value of={result.output ?? null} label={sharedTexts.output} />
      <p className="help">{stepDataTexts.ran(<Time at={result.at.toISOString()} />, usageSummary(result))}</p>
      {result.before !== before(steps, step.id) && <p className="note">{stepDataTexts.stepsBeforeChanged}</p>}
    </>
  );
}
