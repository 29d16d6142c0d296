import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { count, dollars, duration } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { Status } from '../ui/status.tsx';
import { Value } from '../ui/value.tsx';
import type { TimeLine, TimeLineStep, TimeLineTool } from './time-line.ts';
import '../style/runs.css';

/** So many steps are laid out at first, and so many more on request. */
const pageSteps = 200;

interface Props {
  timeLine: TimeLine;
  isRunning: boolean;
  /** What a type of step is called. */
  typeLabel: (type: string) => string;
}

/** A run of a flow, step by step, while it happens. */
export function TimeLineView({ timeLine, isRunning, typeLabel }: Props) {
  const [shown, setShown] = useState(pageSteps);
  const { steps, wait, end, totalSteps } = timeLine;
  return (
    <section aria-label="Time line" className="runs-time-line">
      <p role="status">
        {isRunning
          ? `Running: ${count(steps.filter(({ status }) => status !== 'running').length)} of ${count(totalSteps ?? 0)} steps`
          : end
            ? end.success
              ? 'The run succeeded'
              : 'The run failed'
            : wait
              ? 'The run waits'
              : 'The run was stopped'}
      </p>
      <ol>
        {steps.slice(0, shown).map((step) => (
          <Step key={step.id} step={step} typeLabel={typeLabel} />
        ))}
      </ol>
      {steps.length > shown && (
        <Button onPress={() => setShown(shown + pageSteps)}>
          Show more of the {count(steps.length)} steps
        </Button>
      )}
      {wait && !end && <Wait wait={wait} />}
      {end && <End end={end} />}
    </section>
  );
}

function Step({ step, typeLabel }: { step: TimeLineStep; typeLabel: Props['typeLabel'] }) {
  const { path, name, stepType, status, durationMs, tokens, cost } = step;
  // Opened at once if it failed; its contents are laid out only when it is open.
  const [isOpen, setOpen] = useState<boolean>();
  const open = isOpen ?? (status === 'failed' || status === 'running');
  const facts = [
    duration(durationMs),
    tokens ? `${count(tokens)} tokens` : '',
    cost ? dollars(cost) : '',
  ].filter(Boolean);
  return (
    <li style={{ marginInlineStart: `${Math.min(6, path.split('.').length - 1)}rem` }}>
      <details
        className="runs-step"
        open={open}
        onToggle={(event) => {
          if (event.currentTarget.open !== open) setOpen(event.currentTarget.open);
        }}
      >
        <summary>
          <Status of={status} /> <bdi>{name}</bdi> <span className="help">{typeLabel(stepType)}</span>{' '}
          <span className="help">{facts.join(', ')}</span>
        </summary>
        {open && <StepParts step={step} />}
      </details>
    </li>
  );
}

function StepParts({ step }: { step: TimeLineStep }) {
  const { error, when, prompt, texts, tools, notes, output, status } = step;
  const said = Object.values(texts).join('\n');
  return (
    <div className="runs-parts">
      {error && <p className="problem">{error}</p>}
      {status === 'skipped' && <p className="help">{when ? `Not true: ${when}` : 'Not run'}</p>}
      {prompt && <Labelled title="Prompt" value={prompt} />}
      {tools.map((tool) => (
        <Tool key={tool.id} tool={tool} />
      ))}
      {notes.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: notes are only added
        <Labelled key={index} title={name} value={value} />
      ))}
      {said && status === 'running' && <Labelled title="So far" value={said} />}
      {output !== undefined && output !== null && <Labelled title="Output" value={output} />}
    </div>
  );
}

const Tool = ({ tool: { name, input, written, output, error, durationMs } }: { tool: TimeLineTool }) => (
  <details>
    <summary>
      Tool call: <bdi>{name}</bdi> <span className="help">{duration(durationMs)}</span>
    </summary>
    <Labelled title="Input" value={input ?? written} />
    {error && <p className="problem">{error}</p>}
    {output !== undefined && <Labelled title="Output" value={output} />}
  </details>
);

const Labelled = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <p className="label">{title}</p>
    <Value of={value} label={title} />
  </div>
);

const Wait = ({ wait }: { wait: NonNullable<TimeLine['wait']> }) => (
  <p className="note">
    {wait.awaitReason === 'wait'
      ? `It goes on in the background at ${wait.until ?? 'a later time'}.`
      : `It waits for the output of the tool ${wait.toolName ?? ''}, which the caller executes.`}{' '}
    {wait.batchExecutionId && <Link to={`/runs/batches/${wait.batchExecutionId}`}>Follow it</Link>}
  </p>
);

const End = ({ end }: { end: NonNullable<TimeLine['end']> }) => (
  <div className="card">
    <p className="runs-head">
      <Status of={end.success ? 'completed' : 'failed'} />
      <span>{duration(end.durationMs)}</span>
      {end.tokens && <span>{count(end.tokens.input + end.tokens.output)} tokens</span>}
      {end.cost && <span>{dollars(end.cost)}</span>}
    </p>
    {end.error && <p className="problem">{end.error}</p>}
    {end.output !== undefined && end.output !== null && <Labelled title="Final output" value={end.output} />}
  </div>
);
