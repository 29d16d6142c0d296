import { useMemo } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import { variableSetter } from '../steps/scopes.ts';
import { type Step, stepVariable } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { type Marked, markedByOutput, markedByUse, type PointedVariable } from './marked-steps.ts';
import { useIsPointed, useMarking } from './marks.tsx';
import { usedVariables } from './uses.ts';

interface Props {
  step: Step;
  /** Opens a step, if it can be reached from here. */
  onSelect: (id: string) => void;
}

/** Which variables a step reads and sets. Pointing at one marks the steps that it comes from, or goes to. */
export function StepChips({ step, onSelect }: Props) {
  const settled = useSettled(step);
  const all = useSettled(useEditing().steps);
  const uses = useMemo(
    () => usedVariables(settled).map((name) => ({ name, setter: variableSetter(all, settled.id, name) })),
    [all, settled],
  );
  const sets = stepVariable(settled);
  if (uses.length === 0 && !sets) return null;
  return (
    <div className="step-chips">
      {uses.length > 0 && <span className="help">{stepDataTexts.uses}</span>}
      {uses.map(({ name, setter }) => (
        <Chip
          key={name}
          variable={{ name, setterId: setter?.id }}
          about={setter ? stepDataTexts.setBy(setter.name) : originOf(name)}
          marked={() => markedByUse(all, settled.id, name)}
          onPress={setter && (() => onSelect(setter.id))}
        />
      ))}
      {sets && <span className="help">{stepDataTexts.sets}</span>}
      {sets && (
        <Chip
          variable={{ name: sets, setterId: settled.id }}
          about={stepDataTexts.outputOfThisStep}
          marked={() => markedByOutput(all, settled)}
        />
      )}
    </div>
  );
}

const originOf = (name: string) =>
  name === '_record'
    ? sharedTexts.theRecord
    : name.startsWith('_')
      ? stepDataTexts.ofEveryRun
      : stepDataTexts.inputOfRun;

interface ChipProps {
  variable: PointedVariable;
  about: string;
  marked: () => Marked | undefined;
  onPress?: (() => void) | undefined;
}

const Chip = ({ variable, about, marked, onPress }: ChipProps) => (
  <button
    type="button"
    className={useIsPointed(variable) ? 'step-chip pointed' : 'step-chip'}
    title={about}
    aria-label={stepDataTexts.chip(variable.name, about)}
    {...useMarking(marked)}
    onClick={onPress}
  >
    {variable.name}
  </button>
);
