import { useContext, useState } from 'react';
import { Button } from '../../../ui/forms/button.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { joined } from '../../../ui/schema-form/paths.ts';
import { AddStep } from './add-step.tsx';
import { EditFlow } from './edits.ts';
import type { Findings } from './findings.ts';
import { StepForm } from './step-form.tsx';
import { MoveButtons, StepList } from './step-list.tsx';
import { type Branch, copyOf, moved, type Step } from './steps.ts';

export interface StepsEditorProps {
  label: string;
  steps: readonly Step[];
  /** @param what Names an edit that continues the one before, as typing does. */
  onChange: (steps: readonly Step[], what?: string) => void;
  /** Where the list stands in the body of the flow: `flowSteps`. */
  path: string;
  findings: Findings;
  /** Names that are known before the first of these steps. */
  known: readonly string[];
  /** Of a condition. Absent for the steps of the flow itself. */
  branch?: Branch;
}

/** A list of steps and the form of the selected one. Conditions contain the same for their branches. */
export function StepsEditor({ label, steps, onChange, path, findings, known, branch }: StepsEditorProps) {
  const edit = useContext(EditFlow);
  const [selectedId, setSelectedId] = useState(steps[0]?.id);
  const [isAdding, setAdding] = useState(false);
  const found = steps.findIndex(({ id }) => id === selectedId);
  const index = found === -1 ? undefined : found;
  const step = index === undefined ? undefined : steps[index];

  const move = (from: number, to: number) => onChange(moved(steps, from, to));
  function insert(added: Step, at: number) {
    onChange(steps.toSpliced(at, 0, added));
    setSelectedId(added.id);
  }
  function remove(at: number) {
    onChange(steps.toSpliced(at, 1));
    setSelectedId((steps[at + 1] ?? steps[at - 1])?.id);
    const removed = steps[at];
    // What was edited since the removal stays.
    if (removed)
      notify(`${removed.name} is removed`, () => {
        edit({ type: 'bring-back', removed, at, branch });
        setSelectedId(removed.id);
      });
  }

  return (
    <div className="flows-editor">
      <div>
        {steps.length > 0 ? (
          <StepList
            {...{ label, steps }}
            selected={index}
            onSelect={(at) => setSelectedId(steps[at]?.id)}
            onMove={move}
            hasFinding={(at) => findings.stepsWith.has(joined(path, at))}
          />
        ) : (
          <Empty title="No steps yet" />
        )}
        <Button onPress={() => setAdding(true)}>Add a step</Button>
      </div>
      {step && index !== undefined && (
        <section className="card" aria-label={`Step ${step.name}`}>
          <StepForm
            key={step.id}
            {...{ step, findings, known, steps, index }}
            path={joined(path, index)}
            onChange={(changed, what) => onChange(steps.with(index, changed), what)}
          />
          <div className="actions">
            <MoveButtons index={index} count={steps.length} onMove={(to) => move(index, to)} />
            <Button
              look="quiet"
              onPress={() =>
                insert({ ...copyOf(step), name: `${step.name} (copy)`.slice(0, 255) }, index + 1)
              }
            >
              Duplicate
            </Button>
            <Button look="quiet" onPress={() => remove(index)}>
              Remove
            </Button>
          </div>
        </section>
      )}
      <AddStep
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onAdd={(added) => insert(added, (index ?? steps.length - 1) + 1)}
      />
    </div>
  );
}
