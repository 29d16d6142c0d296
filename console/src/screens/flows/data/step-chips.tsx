import { useMemo } from 'react';
import { sharedTexts } from '../../../texts/shared.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import { type Step, variableOf } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { useMarking } from './marks.tsx';
import { readersOf, usesOf } from './uses.ts';
import { setterOf } from './variables.ts';

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
    () => usesOf(settled).map((name) => ({ name, setter: setterOf(all, settled.id, name) })),
    [all, settled],
  );
  const sets = variableOf(settled);
  if (uses.length === 0 && !sets) return null;
  return (
    <div className="step-chips">
      {uses.length > 0 && <span className="help">{stepDataTexts.uses}</span>}
      {uses.map(({ name, setter }) => (
        <Chip
          key={name}
          name={name}
          about={setter ? stepDataTexts.setBy(setter.name) : originOf(name)}
          marked={() => new Map(setter ? [[setter.id, stepDataTexts.setsName(name)]] : [])}
          onPress={setter && (() => onSelect(setter.id))}
        />
      ))}
      {sets && <span className="help">{stepDataTexts.sets}</span>}
      {sets && (
        <Chip
          name={sets}
          about={stepDataTexts.outputOfThisStep}
          marked={() =>
            new Map(readersOf(all, settled).map(({ id }) => [id, stepDataTexts.usesVariable(sets)]))
          }
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
  name: string;
  about: string;
  marked: () => ReadonlyMap<string, string>;
  onPress?: (() => void) | undefined;
}

const Chip = ({ name, about, marked, onPress }: ChipProps) => (
  <button
    type="button"
    className="step-chip"
    title={about}
    aria-label={stepDataTexts.chip(name, about)}
    {...useMarking(marked)}
    onClick={onPress}
  >
    {name}
  </button>
);
