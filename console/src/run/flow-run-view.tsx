import { useState } from 'react';
import { runViewTexts } from '../texts/run-view.ts';
import { sharedTexts } from '../texts/shared.ts';
import { Button } from '../ui/forms/button.tsx';
import { StatusLabel } from '../ui/status.tsx';
import type { FlowRunStep, FollowedFlowRun } from './flow-run.ts';
import { itemRows } from './item-rows.ts';
import { ItemsTable } from './items-table.tsx';
import { attemptsText, LabelledAttempts } from './parts/attempts.tsx';
import { usageSummary } from './parts/facts.ts';
import { PartsView } from './parts/parts-view.tsx';
import { RunEndView } from './parts/run-end-view.tsx';
import { Labelled } from './parts/tool-view.tsx';
import '../style/run.css';
import { Link } from '../ui/link.tsx';

/** So many steps are laid out at first, and so many more on request. */
const pageSteps = 200;

interface Props {
  run: FollowedFlowRun;
  isRunning: boolean;
  /** What a type of step is called. */
  typeLabel: (type: string) => string;
}

/** A run of a flow, step by step, while it happens. */
export function FlowRunView({ run, isRunning, typeLabel }: Props) {
  const [shown, setShown] = useState(pageSteps);
  const { steps, wait, end } = run;
  return (
    <section aria-label={sharedTexts.timeline} className="run-steps">
      <p role="status">{isRunning ? progressOf(run) : outcomeOf(run)}</p>
      <ol>
        {steps.slice(0, shown).map((step) => (
          <Step key={step.stepPath} step={step} all={steps} typeLabel={typeLabel} />
        ))}
      </ol>
      {steps.length > shown && (
        <Button onPress={() => setShown(shown + pageSteps)}>
          {runViewTexts.showMoreSteps(steps.length)}
        </Button>
      )}
      {wait && !end && <FlowRunWait wait={wait} />}
      {end && (
        <div className="card">
          <RunEndView end={end} hasOutput />
        </div>
      )}
    </section>
  );
}

const progressOf = ({ steps, totalSteps = 0 }: FollowedFlowRun) =>
  runViewTexts.runningStep(steps.filter(({ status }) => status !== 'running').length, totalSteps);

const outcomeOf = ({ end, wait }: FollowedFlowRun) =>
  end
    ? end.status === 'completed'
      ? runViewTexts.runSucceeded
      : runViewTexts.runFailed
    : wait
      ? runViewTexts.runWaits
      : runViewTexts.runStopped;

interface StepProps {
  step: FlowRunStep;
  /** Of the run. */
  all: readonly FlowRunStep[];
  typeLabel: Props['typeLabel'];
}

function Step({ step, all, typeLabel }: StepProps) {
  const { path, stepPath, name, stepType, status } = step;
  // Opened at once if it failed; its contents are laid out only when it is open.
  const [isOpen, setOpen] = useState<boolean>();
  const open = isOpen ?? (status === 'failed' || status === 'running');
  return (
    <li style={{ marginInlineStart: `${Math.min(6, path.split('.').length - 1)}rem` }}>
      <details
        className="run-part"
        open={open}
        onToggle={(event) => {
          if (event.currentTarget.open !== open) setOpen(event.currentTarget.open);
        }}
      >
        <summary>
          <StatusLabel of={status} /> <bdi>{name}</bdi> <span className="help">{typeLabel(stepType)}</span>{' '}
          {stepPath.includes('/') && <code className="help">{stepPath}</code>}{' '}
          <span className="help">
            {[usageSummary(step), attemptsText(step.attempts)].filter(Boolean).join(' · ')}
          </span>
        </summary>
        {open && <StepContents step={step} all={all} />}
      </details>
    </li>
  );
}

function StepContents({ step, all }: Omit<StepProps, 'typeLabel'>) {
  const { id, stepPath, stepType, error, when, prompt, parts, output, status, attempts } = step;
  // The output says it again.
  const shown = status === 'running' ? parts : parts.filter(({ kind }) => kind !== 'text');
  return (
    <div className="run-parts">
      {error && <p className="problem">{error}</p>}
      {status === 'skipped' && (
        <p className="help">{when ? runViewTexts.notTrue(when) : runViewTexts.notRun}</p>
      )}
      {prompt && <Labelled title={sharedTexts.prompt} value={prompt} />}
      <LabelledAttempts attempts={attempts} />
      <PartsView parts={shown} isWhole />
      {stepType === 'map' && <ItemsTable items={itemRows(all, id, stepPath)} />}
      {output !== undefined && output !== null && <Labelled title={sharedTexts.output} value={output} />}
    </div>
  );
}

/** What a run waits for, with the way to its page. */
const FlowRunWait = ({ wait }: { wait: NonNullable<FollowedFlowRun['wait']> }) => (
  <p className="note">
    {wait.waits?.length
      ? runViewTexts.waitsForAnswer
      : wait.awaitReason === 'wait'
        ? runViewTexts.continuesAt(wait.until ?? runViewTexts.aLaterTime)
        : runViewTexts.waitsForOutputOfTool(wait.toolName ?? '')}{' '}
    {wait.batchExecutionId && (
      <Link to={wait.waits?.[0] ? `/runs/${wait.waits[0].runId}` : `/runs/batches/${wait.batchExecutionId}`}>
        {runViewTexts.followRun}
      </Link>
    )}
  </p>
);
