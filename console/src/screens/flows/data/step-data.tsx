import { useMemo, useState } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { inOneLine } from '../../../ui/values/one-line.ts';
import { Value } from '../../../ui/values/value.tsx';
import type { Step } from '../steps/steps.ts';
import { DataHead } from './data-head.tsx';
import { useIsPointed, useMarking } from './marks.tsx';
import { RunUpTo } from './run-up-to.tsx';
import { StepOutput } from './step-output.tsx';
import { useRunUpTo } from './use-run-up-to.ts';
import { useStepData } from './use-step-data.ts';
import { usedVariables } from './uses.ts';
import type { KnownVariable } from './variables.ts';

/** The input and the output of a step, kept up to date while somebody edits. */
export function StepData({ step }: { step: Step }) {
  const data = useStepData(step.id);
  const running = useRunUpTo(step.id, data);
  const uses = useMemo(() => usedVariables(step), [step]);
  const failed = data.run?.steps.find(({ id, status }) => status === 'failed' && id !== step.id);
  return (
    <div className="step-data-content">
      <DataHead data={data} />
      {failed && (
        <p className="problem">
          {stepDataTexts.failedBeforeThisStep(<bdi>{failed.name}</bdi>, failed.error)}
        </p>
      )}
      <div className="step-data-columns">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label={sharedTexts.input}>
          <h3>{sharedTexts.input}</h3>
          <VariableList variables={data.variables} uses={uses} isPartial={data.waitsFor.length > 0} />
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
        <div role="group" aria-label={sharedTexts.output}>
          <h3>{sharedTexts.output}</h3>
          <StepOutput step={step} data={data} running={running} />
        </div>
      </div>
      <RunUpTo step={step} data={data} running={running} />
    </div>
  );
}

interface Props {
  variables: readonly KnownVariable[];
  /** The names that the step reads. */
  uses: readonly string[];
  /** Whether steps before have to run first. */
  isPartial: boolean;
}

/** The variables that a step gets: first those that it reads. */
function VariableList({ variables, uses, isPartial }: Props) {
  const isUsed = ({ name }: KnownVariable) => uses.includes(name);
  const shown = [...variables.filter(isUsed), ...variables.filter((each) => !isUsed(each))];
  return (
    <>
      {shown.length === 0 && <p className="help">{stepDataTexts.noVariables}</p>}
      <ul className="step-variables">
        {shown.map((variable) => (
          <li key={variable.name}>
            <VariableItem variable={variable} isUsed={isUsed(variable)} />
          </li>
        ))}
      </ul>
      {isPartial && <p className="help">{stepDataTexts.stepsThatRunLater}</p>}
    </>
  );
}

function VariableItem({ variable, isUsed }: { variable: KnownVariable; isUsed: boolean }) {
  const { name, value, setBy } = variable;
  const [isOpen, setOpen] = useState(false);
  const isPointed = useIsPointed({ name, setterId: setBy?.id });
  const marking = useMarking(() => ({
    variable: { name, setterId: setBy?.id },
    steps: new Map(setBy ? [[setBy.id, stepDataTexts.setsName(name)]] : []),
  }));
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary {...marking} className={isPointed ? 'pointed' : undefined}>
        <code>{name}</code>
        {isUsed && <span className="status busy">{stepDataTexts.usedHere}</span>}
        <span className="step-variable-value">{inOneLine(value)}</span>
        <span className="help">{setBy ? stepDataTexts.by(setBy.name) : sharedTexts.theRecord}</span>
      </summary>
      {isOpen && <Value of={value} label={name} />}
    </details>
  );
}
