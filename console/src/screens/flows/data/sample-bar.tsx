import { useState } from 'react';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { type SampleRecordNow, useEditing } from './editing.tsx';
import { SampleRecord } from './sample-record.tsx';

/** On which record the editor runs steps, and the choice of another one. */
export function SampleBar({ record }: { record: SampleRecordNow }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="sample-bar">
      <span>{stepDataTexts.onRecord(<bdi>{record.name}</bdi>)}</span>
      <Button look="quiet" aria-label={stepDataTexts.changeSampleRecord} onPress={() => setOpen(true)}>
        {stepDataTexts.change}
      </Button>
      <SampleDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </span>
  );
}

export function SampleDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { sample, setSample } = useEditing();
  return (
    <Dialog title={stepDataTexts.sampleRecord} isOpen={isOpen} onClose={onClose}>
      <SampleRecord value={sample} onChange={setSample} />
      <div className="actions">
        <Button look="primary" onPress={onClose}>
          {stepDataTexts.done}
        </Button>
      </div>
    </Dialog>
  );
}
