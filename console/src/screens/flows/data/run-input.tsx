import { useState } from 'react';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { Icon } from '../../../ui/icon.tsx';
import { useEditing } from './editing.tsx';
import { isInput, markedByInput } from './marked-steps.ts';
import { useMarking, usePointed } from './marks.tsx';
import { SampleDialog } from './sample-bar.tsx';
import '../../../style/step-data.css';

/** Where a run begins: with a record and inputs. Pointing at it marks the steps that read them. */
export function RunInputBox() {
  const { steps } = useEditing();
  const [isOpen, setOpen] = useState(false);
  const pointed = usePointed();
  const isMarked = pointed && pointed.setterId === undefined && isInput(pointed.name);
  return (
    <>
      <button
        type="button"
        className="run-input"
        {...useMarking(() => markedByInput(steps))}
        onClick={() => setOpen(true)}
      >
        <Icon name="records" size={14} />
        {stepDataTexts.input}
        <span className="help">{stepDataTexts.recordAndInputs}</span>
        {isMarked && <span className="step-mark">{stepDataTexts.givesVariable(pointed.name)}</span>}
      </button>
      <SampleDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
