import { useState } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { joined } from '../../../ui/schema-form/paths.ts';
import { RunInputBox } from '../data/run-input.tsx';
import { moved } from '../steps/steps.ts';
import { AddStep } from './add-step.tsx';
import { StepDetails } from './step-details.tsx';
import { StepList } from './step-list.tsx';
import type { StepsEditorProps } from './steps-editor-props.ts';

/** A list of steps and the form of the selected one. Steps that hold others contain the same for their lists. */
export function StepsEditor({
  label,
  steps,
  onChange,
  path,
  findings,
  known: names,
  within,
}: StepsEditorProps) {
  // Those of several branches would be long forms below each other.
  const [selectedId, setSelectedId] = useState(
    within?.name.startsWith('branches.') ? undefined : steps[0]?.id,
  );
  const [isAdding, setAdding] = useState(false);
  const found = steps.findIndex(({ id }) => id === selectedId);
  const index = found === -1 ? undefined : found;
  const step = steps[found];
  return (
    <div className="flows-editor">
      <div>
        {!within && steps.length > 0 && <RunInputBox />}
        {steps.length > 0 ? (
          <StepList
            label={label}
            steps={steps}
            selected={index}
            onSelect={(at) => setSelectedId(steps[at]?.id)}
            onMove={(from, to) => onChange(moved(steps, from, to))}
            hasFinding={(at) => findings.stepsWith.has(joined(path, at))}
          />
        ) : (
          <Empty title={editorTexts.noStepsYet} />
        )}
        <Button onPress={() => setAdding(true)}>{editorTexts.addStep}</Button>
      </div>
      {step && (
        <StepDetails
          step={step}
          within={within}
          known={names}
          findings={findings}
          onChange={onChange}
          list={steps}
          at={found}
          path={joined(path, found)}
          onSelect={setSelectedId}
          HeldSteps={StepsEditor}
        />
      )}
      <AddStep
        isOpen={isAdding}
        onClose={() => setAdding(false)}
        onAdd={(added) => {
          onChange(steps.toSpliced((index ?? steps.length - 1) + 1, 0, added));
          setSelectedId(added.id);
        }}
      />
    </div>
  );
}
