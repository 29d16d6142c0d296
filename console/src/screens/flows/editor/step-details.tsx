import { type ComponentType, useContext } from 'react';
import { Button } from '../../../ui/forms/button.tsx';
import { notify } from '../../../ui/notices.tsx';
import { EditFlow } from './edits.ts';
import type { Findings } from './findings.ts';
import type { FoundStep } from './places.ts';
import { StepForm } from './step-form.tsx';
import { MoveButtons } from './step-list.tsx';
import { copyOf, moved, type Step } from './steps.ts';
import type { StepsEditorProps } from './steps-editor-props.ts';

interface Props extends FoundStep {
  findings: Findings;
  /** @param what Names an edit that continues the one before, as typing does. */
  onChange: (list: readonly Step[], what?: string) => void;
  onSelect: (id: string | undefined) => void;
  /** Edits the steps of a branch. */
  Branch: ComponentType<StepsEditorProps>;
}

/** The form of a step, and what one does with the step as a whole. */
export function StepDetails(props: Props) {
  const { step, list, at, branch, path, known, findings, onChange, onSelect, Branch } = props;
  const edit = useContext(EditFlow);
  function duplicate() {
    const copy = { ...copyOf(step), name: `${step.name} (copy)`.slice(0, 255) };
    onChange(list.toSpliced(at + 1, 0, copy));
    onSelect(copy.id);
  }
  function remove() {
    onChange(list.toSpliced(at, 1));
    onSelect((list[at + 1] ?? list[at - 1])?.id);
    // What was edited since the removal stays.
    notify(`${step.name} removed`, () => {
      edit({ type: 'bring-back', removed: step, at, branch });
      onSelect(step.id);
    });
  }
  return (
    <section className="card" aria-label={`Step ${step.name}`}>
      <StepForm
        key={step.id}
        {...{ step, findings, known, path, Branch }}
        steps={list}
        index={at}
        onChange={(changed, what) => onChange(list.with(at, changed), what)}
      />
      <div className="actions">
        <MoveButtons index={at} count={list.length} onMove={(to) => onChange(moved(list, at, to))} />
        <Button look="quiet" onPress={duplicate}>
          Duplicate
        </Button>
        <Button look="quiet" onPress={remove}>
          Remove
        </Button>
      </div>
    </section>
  );
}
