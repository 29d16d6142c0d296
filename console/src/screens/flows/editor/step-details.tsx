import { type ComponentType, lazy, Suspense, useContext } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { notify } from '../../../ui/notices.tsx';
import { DataPanel } from '../data/data-panel.tsx';
import { holdsSteps } from '../steps/lists.ts';
import type { FoundStep } from '../steps/places.ts';
import { copyStep, moved, type Step } from '../steps/steps.ts';
import { EditFlow } from './edits.ts';
import type { Findings } from './findings.ts';
import { StepForm } from './step-form.tsx';
import { MoveButtons } from './step-list.tsx';
import type { StepsEditorProps } from './steps-editor-props.ts';

const StepChips = lazy(async () => ({ default: (await import('../data/step-chips.tsx')).StepChips }));

interface Props extends FoundStep {
  /** Names that are known before the first step of the list. */
  known: readonly string[];
  findings: Findings;
  /** @param what Names an edit that continues the one before, as typing does. */
  onChange: (list: readonly Step[], what?: string) => void;
  onSelect: (id: string | undefined) => void;
  /** Whether every step of the flow can be selected, not only those of the list. */
  selectsAll?: boolean;
  /** Edits the steps of a list that the step holds. */
  HeldSteps: ComponentType<StepsEditorProps>;
}

/** The form of a step, and what one does with the step as a whole. */
export function StepDetails(props: Props) {
  const {
    step,
    list,
    at,
    within,
    path,
    known: names,
    findings,
    onChange,
    onSelect,
    HeldSteps,
    selectsAll,
  } = props;
  const edit = useContext(EditFlow);
  // Their forms need the width themselves.
  const isWide = step.type === 'prompt' || (holdsSteps(step) && !selectsAll);
  function duplicate() {
    const copy = { ...copyStep(step), name: editorTexts.copyOf(step.name).slice(0, 255) };
    onChange(list.toSpliced(at + 1, 0, copy));
    onSelect(copy.id);
  }
  function remove() {
    onChange(list.toSpliced(at, 1));
    onSelect((list[at + 1] ?? list[at - 1])?.id);
    // What was edited since the removal stays.
    notify(editorTexts.stepRemoved(step.name), () => {
      edit({ type: 'bring-back', removed: step, at, within });
      onSelect(step.id);
    });
  }
  return (
    <section className="card" aria-label={editorTexts.step(step.name)}>
      <div className={isWide ? 'step-body below' : 'step-body'}>
        <div>
          <StepForm
            key={step.id}
            step={step}
            findings={findings}
            known={names}
            path={path}
            HeldSteps={HeldSteps}
            steps={list}
            index={at}
            onChange={(changed, what) => onChange(list.with(at, changed), what)}
          />
          <Suspense fallback={null}>
            <StepChips
              step={step}
              onSelect={(id) => {
                if (selectsAll || list.some((each) => each.id === id)) onSelect(id);
              }}
            />
          </Suspense>
        </div>
        <DataPanel step={step} />
      </div>
      <div className="actions">
        <MoveButtons index={at} count={list.length} onMove={(to) => onChange(moved(list, at, to))} />
        <Button look="quiet" onPress={duplicate}>
          {editorTexts.duplicate}
        </Button>
        <Button look="quiet" onPress={remove}>
          {sharedTexts.remove}
        </Button>
      </div>
    </section>
  );
}
