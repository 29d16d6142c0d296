import { useState } from 'react';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { type SampleRecordNow, useEditing } from './editing.tsx';
import { SampleRecord } from './sample-record.tsx';

/** On which record the editor runs steps, and the choice of another one. */
export function SampleBar({ record }: { record: SampleRecordNow }) {
  const { sample, setSample } = useEditing();
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="sample-bar">
      <span>
        On <bdi>{record.name}</bdi>
      </span>
      <Button look="quiet" aria-label="Change sample record" onPress={() => setOpen(true)}>
        Change
      </Button>
      <Dialog title="Sample record" isOpen={isOpen} onClose={() => setOpen(false)}>
        <SampleRecord value={sample} onChange={setSample} />
        <div className="actions">
          <Button look="primary" onPress={() => setOpen(false)}>
            Done
          </Button>
        </div>
      </Dialog>
    </span>
  );
}
