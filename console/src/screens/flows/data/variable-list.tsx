import { useState } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { inOneLine } from '../../../ui/values/one-line.ts';
import { Value } from '../../../ui/values/value.tsx';
import { useIsPointed, useMarking } from './marks.tsx';
import type { KnownVariable } from './variables.ts';

interface Props {
  variables: readonly KnownVariable[];
  /** The names that the step reads. */
  uses: readonly string[];
  /** Whether steps before have to run first. */
  isPartial: boolean;
}

/** The variables that a step gets: first those that it reads. */
export function VariableList({ variables, uses, isPartial }: Props) {
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
